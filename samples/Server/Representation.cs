using CoAP.NET;

namespace Server;

/// <summary>A representation that requests read, replace and delete, from any thread.</summary>
internal sealed class Representation
{
    private readonly Lock _gate = new();
    private byte[]? _bytes;
    private CoapContentFormat? _format;
    private CoapETag _etag;

    public Representation()
    {
    }

    public Representation(string text)
    {
        Set(CoapContent.Text(text));
    }

    public bool Exists => Volatile.Read(ref _bytes) is not null;

    public CoapResult Get()
    {
        lock (_gate)
        {
            return _bytes is null ? CoapResults.NotFound() : CoapResults.Content(new CoapContent(_bytes, _format));
        }
    }

    /// <summary>The representation, or 2.03 when the client has it already (RFC 7252 section 5.10.6.2).</summary>
    public CoapResult GetIfChanged(CoapRequestContext request)
    {
        lock (_gate)
        {
            return _bytes is null ? CoapResults.NotFound() : CoapResults.ValidOr(request, _etag, () => Get().WithETag(_etag));
        }
    }

    public bool Set(CoapRequestContext request)
    {
        if (request.Payload.IsEmpty)
        {
            return false;
        }

        Set(new CoapContent(request.Payload, request.ContentFormat));
        return true;
    }

    public CoapResult Replace(CoapRequestContext request) =>
        Set(new CoapContent(request.Payload, request.ContentFormat)) ? CoapResults.Changed() : CoapResults.Created();

    /// <summary>Replaces when If-Match and If-None-Match allow it (RFC 7252 section 5.10.8). Nobody comes in between.</summary>
    public CoapResult ReplaceIf(CoapRequestContext request)
    {
        lock (_gate)
        {
            return request.CheckPreconditions(_bytes is null ? null : _etag) ?? Replace(request);
        }
    }

    public void Delete()
    {
        lock (_gate)
        {
            _bytes = null;
        }
    }

    private bool Set(CoapContent content)
    {
        lock (_gate)
        {
            bool existed = _bytes is not null;
            _bytes = content.Bytes.ToArray();
            _format = content.Format;
            _etag = CoapETag.FromContent(_bytes);
            return existed;
        }
    }
}
