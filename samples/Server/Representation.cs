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

    public CoapETag ETag
    {
        get
        {
            lock (_gate)
            {
                return _etag;
            }
        }
    }

    public CoapResult Get()
    {
        lock (_gate)
        {
            return _bytes is null ? CoapResults.NotFound() : CoapResults.Content(new CoapContent(_bytes, _format));
        }
    }

    public bool Set(CoapRequest request)
    {
        if (request.Payload.IsEmpty)
        {
            return false;
        }

        Set(new CoapContent(request.Payload, request.ContentFormat));
        return true;
    }

    public CoapResult Replace(CoapRequest request) =>
        Set(new CoapContent(request.Payload, request.ContentFormat)) ? CoapResults.Changed() : CoapResults.Created();

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
