using CoAP.NET.Diagnostics;

namespace CoAP.NET.Dtls.Tests.Hostile;

/// <summary>Devices that lose what they know, and come back to where they were.</summary>
public sealed class ReturningDeviceTests
{
    private const int Returns = 100;

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    [Rfc("6347-4.2.8-1")]
    public Task A_device_that_reconnects_from_the_same_port_is_served_in_a_new_session_each_time(bool withCid) =>
        Eventually.BindsAgainAsync(() => ReturnAsync(withCid));

    private static async Task ReturnAsync(bool withCid)
    {
        await using SecureEndpoints secure = await new SecureEndpoints().StartAsync();
        IPEndPoint? source = null;
        for (int i = 0; i < Returns; i++)
        {
            ScriptedDevice device = await ScriptedDevice.ConnectAsync(secure.Endpoint, withCid, source);
            source = device.Source;
            device.Send("40 01 0001 b5 'hello'");
            await device.ExpectAsync("60 45 0001 ..");
            device.Vanish();
        }

        Assert.Equal(1, secure.Transport.Engine!.Server!.SessionCount);
        Assert.Single(secure.Server.Endpoint.ConnectedPeers);
        Assert.Equal(Returns, secure.Server.Counters[CoapCounter.RequestsReceived]);
    }
}
