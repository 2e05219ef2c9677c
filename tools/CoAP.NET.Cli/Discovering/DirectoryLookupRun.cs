using CoAP.NET.Cli.Output;
using CoAP.NET.ResourceDirectory;
using CoAP.NET.ResourceDirectory.Registrations;

namespace CoAP.NET.Cli.Discovering;

/// <summary>Lists the registrations of resource directories (RFC 9176 section 6).</summary>
/// <param name="context">Streams and clock.</param>
/// <param name="isJson">Whether to write JSON.</param>
/// <param name="endpoints">Whether to list endpoints, and not resources.</param>
/// <param name="queries">Criteria, each NAME=VALUE.</param>
internal sealed class DirectoryLookupRun(CliContext context, bool isJson, bool endpoints, string[] queries)
{
    // Directories refuse long answers, and each page is one lookup.
    private const int PageSize = 100;

    /// <summary>Lists the resources or endpoints of one directory.</summary>
    public async Task<int> AskAsync(CoapClient client, string uri, CoapDirectoryClientOptions options, CancellationToken cancellationToken)
    {
        try
        {
            CoapDirectoryClient directory =
                await CoapDirectoryClient.DiscoverAsync(client, uri, options, cancellationToken).ConfigureAwait(false);
            await ShowAsync(directory, cancellationToken).ConfigureAwait(false);
            return ExitCodes.Success;
        }
        catch (CoapDirectoryException exception)
        {
            return Report(exception);
        }
    }

    /// <summary>Lists those of each directory that answers for a group.</summary>
    public async Task<int> AskGroupAsync(CoapClient client, string group, CoapDirectoryClientOptions options, int most,
        CancellationToken cancellationToken)
    {
        int left = most;
        await foreach (CoapDirectoryClient directory in CoapDirectoryClient.DiscoverAllAsync(client, group, options, cancellationToken)
            .ConfigureAwait(false))
        {
            try
            {
                await ShowAsync(directory, cancellationToken).ConfigureAwait(false);
            }
            catch (CoapException exception)
            {
                _ = Report(exception);
            }

            if (--left == 0)
            {
                break;
            }
        }

        if (left < most)
        {
            return ExitCodes.Success;
        }

        FailureReporter.Write(context, $"No resource directory answered at {group} within {options.Timeout.TotalSeconds:0.###} s.",
            "--interface chooses the network, --timeout waits longer, and a URI names a directory.");
        return ExitCodes.Timeout;
    }

    private async Task ShowAsync(CoapDirectoryClient directory, CancellationToken cancellationToken)
    {
        CoapDirectoryQuery query = new() { PageSize = PageSize };
        foreach (string text in queries)
        {
            int equals = text.IndexOf('=', StringComparison.Ordinal);
            if (equals <= 0 || !query.More.TryAdd(text[..equals], text[(equals + 1)..]))
            {
                throw new UsageException($"'{text}' in --query is not a criterion, or repeats a name.",
                    "Write NAME=VALUE, such as rt=temperature*, each name once.");
            }
        }

        List<CoapLink> links = [];
        if (endpoints)
        {
            await foreach (CoapDirectoryEndpoint endpoint in directory.FindEndpointsAsync(query, cancellationToken).ConfigureAwait(false))
            {
                links.Add(endpoint.Link);
            }
        }
        else
        {
            await foreach (CoapLink link in directory.FindResourcesAsync(query, cancellationToken).ConfigureAwait(false))
            {
                links.Add(link);
            }
        }

        string place = ((endpoints ? directory.EndpointLookup : directory.ResourceLookup) ?? directory.Registration)?.ToString() ?? "";
        if (isJson)
        {
            LinkJson.Write(links, place, CoapUri.OriginOf(place), context.Out);
            return;
        }

        if (links.Count == 0)
        {
            context.Error.MarkupLine("The directory has no matching registration.");
            return;
        }

        LinkTree.Write(links, place, context.Out);
    }

    private int Report(CoapException exception)
    {
        FailureReporter.Write(context, exception.Message);
        return exception is CoapDirectoryException { Response: { IsSuccess: false } response } ? ExitCodes.Of(response.Code)
            : exception is CoapDirectoryException ? ExitCodes.Protocol
            : FailureReporter.Judge(exception).Code;
    }
}
