using CoAP.NET;

namespace Shelly;

/// <summary>
/// A plug that this program plays: it describes itself, and publishes to one address instead of the group, as devices with a "CoIoT peer"
/// do.
/// </summary>
internal sealed class DemoDevice : IAsyncDisposable
{
    private readonly CoapServer _server = new();

    private DemoDevice()
    {
    }

    public static async Task<DemoDevice> StartAsync()
    {
        DemoDevice device = new();
        device._server.Listen("coap://127.0.0.1:0");
        device._server.MapGet("/cit/d", () => CoapResults.Bytes(
            """{"blk":[{"I":1,"D":"relay_0"}],"sen":[{"I":1101,"T":"S","D":"State","R":"0/1","L":1},{"I":4101,"T":"P","D":"Power","U":"W","L":1}]}"""u8.ToArray(),
            CoapContentFormat.Json));
        await device._server.StartAsync();
        return device;
    }

    /// <summary>Publishes that the relay is on: Non-confirmable, code 0.30, from the port that the device serves on.</summary>
    public async Task PublishAsync(CoapUri gateway, CancellationToken cancellationToken)
    {
        CoapRequest publication = new(CoIoT.Publish, gateway.Resolve("/cit/s"))
        {
            Confirmable = false,
            Content = new CoapContent("""{"G":[[0,1101,1],[0,4101,23.5]]}"""u8.ToArray(), CoapContentFormat.Json),
        };
        publication.Options.Add(new DeviceId("SHPLG-S#7A2B10#2"));
        publication.Options.Add(new Validity(380));
        publication.Options.Add(new Serial(7));
        await _server.Endpoint.SendAsync(publication, cancellationToken);
    }

    public ValueTask DisposeAsync() => _server.DisposeAsync();
}
