using System.Globalization;
using System.Runtime.CompilerServices;
using CoAP.NET.Options;

namespace CoAP.NET.Directories;

/// <summary>One look-up of a directory: its pages, or what changes in it (RFC 9176 section 6).</summary>
internal sealed class DirectoryLookup
{
    private readonly CoapClient _client;
    private readonly DirectoryHost _host;
    private readonly CoapUri? _place;
    private readonly string _what;
    private readonly string[] _arguments;
    private readonly int? _pageSize;
    private readonly CoapDirectoryClientOptions _options;

    /// <summary>Makes a look-up; nothing is asked yet.</summary>
    /// <param name="client">Who asks.</param>
    /// <param name="host">The directory.</param>
    /// <param name="place">Where it is asked; null when it has no such look-up.</param>
    /// <param name="what">What is looked up, for people.</param>
    /// <param name="query">The criteria.</param>
    /// <param name="options">Bounds.</param>
    /// <exception cref="ArgumentException">A criterion is none.</exception>
    public DirectoryLookup(CoapClient client, DirectoryHost host, CoapUri? place, string what, CoapDirectoryQuery query,
        CoapDirectoryClientOptions options)
    {
        _client = client;
        _host = host;
        _place = place;
        _what = what;
        _arguments = [.. query.ToArguments()];
        _pageSize = query.PageSize;
        _options = options;

        // Too long ones are refused here, not with the first answer that is awaited.
        _ = Array.ConvertAll(_arguments, static argument => new UriQuery(argument));
    }

    /// <summary>The results, page by page.</summary>
    /// <param name="cancellationToken">Stops waiting.</param>
    public async IAsyncEnumerable<CoapLink> FindAsync([EnumeratorCancellation] CancellationToken cancellationToken)
    {
        int given = 0;
        byte[]? before = null;
        for (long page = 0; ; page++)
        {
            // Before the criteria: the directory of aiocoap (2026-04) finds nothing where they stand behind.
            CoapRequest request = MakeRequest(_pageSize is not { } count ? [] :
            [
                $"page={page.ToString(CultureInfo.InvariantCulture)}", $"count={count.ToString(CultureInfo.InvariantCulture)}",
            ]);
            request.Timeout = _options.Timeout;
            CoapResponse response = await _client.SendAsync(request, cancellationToken).ConfigureAwait(false);
            List<CoapLink> links = Read(response, _options.MaxResults - given);

            // A directory that knows no pages answers the same each time.
            if (before is not null && response.Payload.Span.SequenceEqual(before))
            {
                yield break;
            }

            given += links.Count;
            foreach (CoapLink link in links)
            {
                yield return link;
            }

            // One that knows none gives all at once, be it more than a page.
            if (links.Count != _pageSize)
            {
                yield break;
            }

            before = response.Payload.ToArray();
        }
    }

    /// <summary>What comes, changes and goes.</summary>
    /// <param name="cancellationToken">Stops watching.</param>
    public async IAsyncEnumerable<CoapDirectoryChange<CoapLink>> WatchAsync([EnumeratorCancellation] CancellationToken cancellationToken)
    {
        DirectoryDifference known = new();
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
                // Later ones are the directory's trouble, which passes: the observation is made again.
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
            $"The directory did not say where {_what} are looked up (RFC 9176 section 4.3). Ask another one, or give its places to the "
                + "constructor of CoapResourceDirectory.");
        CoapRequest request = _host.To(CoapMethod.Get, place);
        request.Accept = CoapContentFormat.LinkFormat;
        request.Patience = CoapPatience.Wait;
        foreach (string argument in (string[])[.. paging, .. _arguments])
        {
            request.Options.Add(new UriQuery(argument));
        }

        return request;
    }

    private List<CoapLink> Read(CoapResponse response, int max)
    {
        if (!response.IsSuccess)
        {
            string advice = response.Code == CoapCode.NotFound
                ? "It has moved or was set up anew: discover it again."
                : "Its diagnostic payload says more, if it has one.";
            throw new CoapDirectoryException($"The directory answered {response.Code} at {_place} when {_what} were looked up. {advice}",
                response, new CoapResponseException(response));
        }

        if (response.ContentFormat is { } format && format != CoapContentFormat.LinkFormat)
        {
            throw new CoapProtocolException(
                $"The directory at {_place} answered in {format} when {_what} were looked up; link format (40) was asked for.");
        }

        if (!CoapLinkFormat.TryParse(response.Payload.Span, out IReadOnlyList<CoapLink> links, out CoapLinkFormatError error,
            maxLinks: int.MaxValue))
        {
            throw new CoapProtocolException($"What the directory at {_place} answered is no link-format document: {error}");
        }

        if (links.Count > max)
        {
            throw new CoapDirectoryException(
                $"The directory at {_place} gives more {_what} than {_options.MaxResults:N0}. Ask for less, or raise "
                    + "CoapDirectoryClientOptions.MaxResults.", response);
        }

        return [.. links.Select(Resolve)];
    }

    // Resources come with absolute targets, registrations as paths of the directory (RFC 9176 sections 6.1 and 6.3).
    private CoapLink Resolve(CoapLink link)
    {
        string target = link.ResolveTarget(_place!.ToString());
        return target == link.Target ? link : new CoapLink(target, link.Attributes);
    }
}
