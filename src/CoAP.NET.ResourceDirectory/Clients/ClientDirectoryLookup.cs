using System.Globalization;
using System.Runtime.CompilerServices;

namespace CoAP.NET.ResourceDirectory.Clients;

/// <summary>One lookup in a directory: its pages, or its changes (RFC 9176 section 6).</summary>
internal sealed class ClientDirectoryLookup
{
    private readonly ICoapClient _client;
    private readonly ResolvedDirectoryHost _host;
    private readonly CoapUri? _place;
    private readonly string _what;
    private readonly string[] _arguments;
    private readonly int? _pageSize;
    private readonly CoapDirectoryClientOptions _options;

    /// <summary>Creates a lookup, without sending a request.</summary>
    /// <param name="client">The client that sends the requests.</param>
    /// <param name="host">The directory.</param>
    /// <param name="place">The URI of the lookup; null if the directory has no such lookup.</param>
    /// <param name="what">The kind of results, human-readable.</param>
    /// <param name="query">The criteria.</param>
    /// <param name="options">Limits.</param>
    /// <exception cref="ArgumentException">A criterion is invalid.</exception>
    public ClientDirectoryLookup(ICoapClient client, ResolvedDirectoryHost host, CoapUri? place, string what, CoapDirectoryQuery query,
        CoapDirectoryClientOptions options)
    {
        _client = client;
        _host = host;
        _place = place;
        _what = what;
        _arguments = [.. query.ToArguments()];
        _pageSize = query.PageSize;
        _options = options;

        // Throws for too long criteria here, not when the first response is awaited.
        _ = Array.ConvertAll(_arguments, static argument => new UriQueryOption(argument));
    }

    /// <summary>Returns the results, page by page.</summary>
    public async IAsyncEnumerable<CoapLink> FindAsync([EnumeratorCancellation] CancellationToken cancellationToken)
    {
        int given = 0;
        byte[]? before = null;
        for (long page = 0; ; page++)
        {
            // The page arguments come first: aiocoap's directory (2026-04) finds nothing if they follow the criteria.
            CoapRequest request = MakeRequest(_pageSize is not { } count ? [] :
            [
                $"page={page.ToString(CultureInfo.InvariantCulture)}", $"count={count.ToString(CultureInfo.InvariantCulture)}",
            ]);
            request.Timeout = _options.Timeout;
            CoapResponse response = await _client.SendAsync(request, cancellationToken).ConfigureAwait(false);
            List<CoapLink> links = Read(response, _options.MaxResults - given);

            // A directory without support for pages returns the same each time.
            if (before is not null && response.Payload.Span.SequenceEqual(before))
            {
                yield break;
            }

            given += links.Count;
            foreach (CoapLink link in links)
            {
                yield return link;
            }

            // A directory without support for pages returns everything at once, even more than a page.
            if (links.Count != _pageSize)
            {
                yield break;
            }

            before = response.Payload.ToArray();
        }
    }

    public async IAsyncEnumerable<CoapDirectoryChange<CoapLink>> WatchAsync([EnumeratorCancellation] CancellationToken cancellationToken)
    {
        LookupResultComparer known = new();
        CoapObservation observation = await _client.ObserveAsync(MakeRequest(), null, cancellationToken).ConfigureAwait(false);
        await using (observation.ConfigureAwait(false))
        {
            if (observation is { Latest: null, Error: { } error })
            {
                throw error;
            }

            bool isFirst = true;
            await foreach (CoapResponse response in observation.ReadAllAsync(cancellationToken).ConfigureAwait(false))
            {
                // Later errors are temporary problems of the directory: the observation registers again.
                if (!isFirst && !response.IsSuccess)
                {
                    continue;
                }

                isFirst = false;
                foreach ((CoapDirectoryChangeKind kind, CoapLink link) in known.Take(Read(response, _options.MaxResults)))
                {
                    yield return new CoapDirectoryChange<CoapLink>(kind, link);
                }
            }
        }
    }

    private CoapRequest MakeRequest(params string[] paging)
    {
        CoapUri place = _place ?? throw new CoapDirectoryException(
            $"The directory did not report a URI to look up {_what} (RFC 9176 section 4.3). Use another one, or pass its URIs to the "
                + "constructor of CoapDirectoryClient.");
        CoapRequest request = _host.To(CoapMethod.Get, place);
        request.Accept = CoapContentFormat.LinkFormat;
        request.TooManyRequests = CoapTooManyRequestsBehavior.Wait;
        foreach (string argument in (string[])[.. paging, .. _arguments])
        {
            request.Options.Add(new UriQueryOption(argument));
        }

        return request;
    }

    private List<CoapLink> Read(CoapResponse response, int max)
    {
        if (!response.IsSuccess)
        {
            string advice = response.Code == CoapCode.NotFound
                ? "It has moved or was set up again: discover it again."
                : "Its diagnostic payload may have details.";
            throw new CoapDirectoryException($"The directory answered {response.Code} at {_place} to a lookup of {_what}. {advice}",
                response, new CoapResponseException(response));
        }

        if (response.ContentFormat is { } format && format != CoapContentFormat.LinkFormat)
        {
            throw new CoapProtocolException(
                $"The directory at {_place} answered a lookup of {_what} in {format}; the request asked for link format (40).");
        }

        if (!CoapLinkFormat.TryParse(response.Payload.Span, out IReadOnlyList<CoapLink> links, out CoapContentSyntaxError error,
            maxLinks: int.MaxValue))
        {
            throw new CoapProtocolException($"The response of the directory at {_place} is not a link-format document: {error}");
        }

        if (links.Count > max)
        {
            throw new CoapDirectoryException(
                $"The directory at {_place} returns more {_what} than {_options.MaxResults:N0}. Narrow the query, or raise "
                    + "CoapDirectoryClientOptions.MaxResults.", response);
        }

        return [.. links.Select(Resolve)];
    }

    // Resources have absolute targets, registrations have paths of the directory (RFC 9176 sections 6.1 and 6.3).
    private CoapLink Resolve(CoapLink link)
    {
        string target = link.ResolveTarget(_place!.ToString());
        return target == link.Target ? link : new CoapLink(target, link.Attributes);
    }
}
