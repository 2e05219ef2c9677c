using System.Net;
using CoAP.NET.Connecting;
using CoAP.NET.Endpoints;
using CoAP.NET.Errors;

namespace CoAP.NET.ResourceDirectory.Clients;

/// <summary>Searches a directory at a host, at each address of its name (RFC 9176 section 4.3).</summary>
internal sealed class DirectoryFinder(IEndpointClient client, HostLookup hosts, CoapUri asked, CoapDirectoryClientOptions options)
{
    // Do not query all addresses of a name with very many.
    private const int MaxAddresses = 16;

    // Not all addresses of a name may answer. Connections have their own time.
    private static readonly TimeSpan s_nextAddressAfter = TimeSpan.FromSeconds(2);

    private readonly TimeProvider _time = client.Endpoint.Environment.TimeProvider;

    /// <summary>Finds the directory.</summary>
    /// <exception cref="CoapDirectoryException">No host that answered is a directory.</exception>
    /// <exception cref="CoapException">No host answered.</exception>
    public async Task<CoapDirectoryClient> FindAsync(CancellationToken cancellationToken)
    {
        long started = _time.GetTimestamp();

        // Connections try all addresses by themselves, sessions have the name in their handshake, and a proxy finds the host.
        if (asked.Scheme != "coap" || asked.HostAddress is not null || client.Proxy is not null)
        {
            return await AskAsync(null, started, cancellationToken).ConfigureAwait(false);
        }

        IPAddress[] addresses = await hosts.FindInTimeAsync(
            asked, CoapCode.Get, ClientRequestTimeLimit.Of(options.Timeout), client.Endpoint.Environment.Now, cancellationToken)
                .ConfigureAwait(false);
        return await AskEachAsync(addresses, started, cancellationToken).ConfigureAwait(false);
    }

    // Queries the next address after a failure, or a while of silence; the previous one may still answer.
    private async Task<CoapDirectoryClient> AskEachAsync(IPAddress[] addresses, long started, CancellationToken cancellationToken)
    {
        using CancellationTokenSource rest = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        List<Task<CoapDirectoryClient>> running = [];
        List<CoapException> failures = [];
        int next = 0;
        int count = Math.Min(addresses.Length, MaxAddresses);
        try
        {
            while (true)
            {
                bool isLast = next >= count;
                if (!isLast)
                {
                    running.Add(AskAsync(addresses[next++], started, rest.Token));
                    isLast = next == count;
                }

                if (await FirstAsync(running, failures, isLast, rest.Token).ConfigureAwait(false) is { } found)
                {
                    return found;
                }

                if (isLast && running.Count == 0)
                {
                    throw failures.Count == 1 ? failures[0] : NoneOf(addresses[..count], failures);
                }
            }
        }
        finally
        {
            await rest.CancelAsync().ConfigureAwait(false);
            await ((Task)Task.WhenAll(running)).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        }
    }

    private async Task<CoapDirectoryClient?> FirstAsync(List<Task<CoapDirectoryClient>> running, List<CoapException> failures,
        bool isLast, CancellationToken cancellationToken)
    {
        using CancellationTokenSource stop = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        Task pause = Task.Delay(isLast ? Timeout.InfiniteTimeSpan : s_nextAddressAfter, _time, stop.Token);
        Task first = await Task.WhenAny([.. running, pause]).ConfigureAwait(false);
        await stop.CancelAsync().ConfigureAwait(false);
        cancellationToken.ThrowIfCancellationRequested();
        if (first is not Task<CoapDirectoryClient> answer)
        {
            return null;
        }

        running.Remove(answer);
        try
        {
            return await answer.ConfigureAwait(false);
        }
        catch (CoapException exception)
        {
            failures.Add(exception);
            return null;
        }
    }

    private async Task<CoapDirectoryClient> AskAsync(IPAddress? address, long started, CancellationToken cancellationToken)
    {
        TimeSpan left = options.Timeout - _time.GetElapsedTime(started);
        ResolvedDirectoryHost host = new(asked, address);
        CoapRequest request = host.To(CoapMethod.Get, asked.Resolve("/.well-known/core"));
        request.Accept = CoapContentFormat.LinkFormat;
        request.Timeout = left > TimeSpan.Zero ? left : TimeSpan.FromMilliseconds(1);
        request.TooManyRequests = CoapTooManyRequestsBehavior.Wait;
        request.Options.Add(new UriQueryOption(DirectoryDiscovery.Filter));
        CoapResponse response = await client.SendAsync(request, cancellationToken).ConfigureAwait(false);
        string name = address is null ? asked.ToString() : $"{asked} ({address})";
        if (!response.IsSuccess)
        {
            throw new CoapDirectoryException(
                $"{name} answered {response.Code} to a request for /.well-known/core?{DirectoryDiscovery.Filter}, so it "
                    + "is not a discoverable resource directory. Use another host, or the URIs of the directory.", response);
        }

        if (!CoapLinkFormat.TryParse(response.Payload.Span, out IReadOnlyList<CoapLink> links, out CoapContentSyntaxError error))
        {
            throw new CoapProtocolException($"The list of resources of {name} is not a link-format document: {error}");
        }

        return CoapDirectoryClient.TryRead(client, host, options, asked, links)
            ?? throw new CoapDirectoryException(
                $"{name} answered, but lists no resource directory with a CoAP URI (rt=core.rd, core.rd-lookup-res or "
                    + "core.rd-lookup-ep; RFC 9176 section 4.3). Use another host, or start the directory there.", response);
    }

    private CoapException NoneOf(IPAddress[] addresses, List<CoapException> failures)
    {
        // An error of an answering host says more than the silence of others.
        CoapException telling = failures.Find(static failure => failure is CoapDirectoryException) ?? failures[0];
        string all = string.Join("; ", failures.Select(static failure => failure.Message));
        string message = $"None of the {addresses.Length} addresses of {asked.Host} is a resource directory: {all}";
        return telling is CoapDirectoryException directory
            ? new CoapDirectoryException(message, directory.Response, telling)
            : new CoapException(message, telling);
    }
}
