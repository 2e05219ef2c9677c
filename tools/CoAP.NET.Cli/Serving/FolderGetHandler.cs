using System.Globalization;
using CoAP.NET.Cli.CommandLine;

namespace CoAP.NET.Cli.Serving;

/// <summary>Answers GET: files block by block on request, folders as links.</summary>
internal sealed class FolderGetHandler(ServedFolderPathMapper paths, FolderMonitor watch)
{
    // The maximum of block-wise transfer (RFC 7959 section 2.2: 20 bits of numbers, 1,024 bytes each).
    private const long LargestBody = 1L << 30;
    private const int MostQueries = 8;

    private readonly FolderListing _listing = new(paths);

    public LoggedResult Get(CoapRequestContext request, IReadOnlyList<string> segments)
    {
        ServedItem item = paths.Find(segments);
        string uriPath = FolderListing.ToUriPath(segments);
        if (request.Options.Observe == 0 && item.Kind is ServedItemKind.File or ServedItemKind.Folder)
        {
            watch.Track(uriPath, segments);
        }

        return item.Kind switch
        {
            ServedItemKind.File => GetFile(request, item.FullPath),
            ServedItemKind.Folder => Answer(request, _listing.Of(item.FullPath, uriPath.EndsWith('/') ? uriPath : uriPath + "/")),
            _ => new LoggedResult(CoapResults.NotFound()),
        };
    }

    /// <summary>Answers <c>/.well-known/core</c> (RFC 6690 section 4).</summary>
    public LoggedResult GetCore(CoapRequestContext request) => Answer(request, _listing.OfAll());

    private static LoggedResult Answer(CoapRequestContext request, IReadOnlyList<CoapLink> links)
    {
        if (request.SelectFormat(CoapContentFormat.LinkFormat) is null)
        {
            return new LoggedResult(CoapResults.NotAcceptable());
        }

        CoapContent content = CoapLinkFormat.ToContent(CoapLinkFormat.Filter(links, [.. request.Queries.Take(MostQueries)]));
        if (request.IsMulticast && content.Bytes.IsEmpty)
        {
            // Members of a group do not answer without a match (RFC 6690 section 4.1).
            return new LoggedResult(CoapResults.NotFound());
        }

        CoapETag etag = CoapETag.FromContent(content.Bytes.Span);
        return request.CheckPreconditions(etag) is { } failed ? new LoggedResult(failed)
            : new LoggedResult(CoapResults.ValidOr(request, etag, () => CoapResults.Content(content)), content.Bytes.Length);
    }

    private static LoggedResult GetFile(CoapRequestContext request, string path)
    {
        CoapContentFormat format = ContentFormatParser.OfFile(path);
        if (request.SelectFormat(format) is null)
        {
            return new LoggedResult(CoapResults.NotAcceptable());
        }

        FileInfo file = new(path);
        if (!file.Exists)
        {
            return new LoggedResult(CoapResults.NotFound());
        }

        if (file.Length == 0)
        {
            // Not opened: pipes and devices have no length either, and opening one may block forever.
            CoapETag emptyTag = FileEntityTag.Of(path) ?? default;
            return request.CheckPreconditions(emptyTag) is { } refused ? new LoggedResult(refused)
                : new LoggedResult(CoapResults.ValidOr(request, emptyTag, () => CoapResults.Content(new CoapContent(default, format))), 0);
        }

        ServedFileStream? stream = ConfinedFiles.TryOpenFile(path);
        if (stream is null)
        {
            return new LoggedResult(CoapResults.NotFound());
        }

        try
        {
            CoapETag etag = FileEntityTag.Of(stream.SafeFileHandle);
            if (request.CheckPreconditions(etag) is { } failed)
            {
                return new LoggedResult(failed);
            }

            if (request.IsMatch(etag))
            {
                return new LoggedResult(CoapResults.Valid(etag), 0);
            }

            if (stream.Length > LargestBody)
            {
                return new LoggedResult(CoapResults.Status(CoapCode.InternalServerError,
                    string.Create(CultureInfo.InvariantCulture, $"The file has {stream.Length} bytes; block-wise transfer is "
                        + $"limited to {LargestBody}.")));
            }

            LoggedResult answer = new(CoapResults.Stream(stream, etag, format), stream.Length, stream);
            stream = null;
            return answer;
        }
        finally
        {
            stream?.Dispose();
        }
    }
}
