using CoAP.NET;

namespace HttpClientSample;

/// <summary>The device: one resource, which only changes for who knows its present state.</summary>
internal sealed class Thermostat
{
    private readonly Lock _lock = new();
    private Settings _settings = new(21);
    private ulong _version = 1;
    private int _busy;

    public void MapTo(CoapServer server)
    {
        server.MapGet("/settings", request =>
        {
            lock (_lock)
            {
                CoapETag tag = CoapETag.FromVersion(_version);
                return CoapResults.ValidOr(request, tag, () => CoapResults.Content(CoapContent.Json(_settings)).WithETag(tag));
            }
        });
        server.MapPut("/settings", request =>
        {
            lock (_lock)
            {
                if (_busy > 0)
                {
                    _busy--;
                    return CoapResults.ServiceUnavailable(TimeSpan.Zero);
                }

                return request.CheckPreconditions(CoapETag.FromVersion(_version)) ?? Set(request.ReadJson<Settings>() ?? _settings);
            }
        });
    }

    public void BusyFor(int requests)
    {
        lock (_lock)
        {
            _busy = requests;
        }
    }

    public void Turn(double celsius)
    {
        lock (_lock)
        {
            Set(new Settings(celsius));
        }
    }

    private CoapResult Set(Settings settings)
    {
        _settings = settings;
        _version++;
        return CoapResults.Changed().WithETag(CoapETag.FromVersion(_version));
    }
}
