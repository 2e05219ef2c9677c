using CoAP.NET.Tests.Endpoints;

namespace CoAP.NET.Tests.Exchanges;

/// <summary>A server that trusts no address, not even those of the other tests.</summary>
public abstract class StrangersTest : EndpointTest
{
    private protected StrangersTest() => Options.Limits.Peers.TrustedPrefixes.Clear();

    private protected static CoapMessage Read(string hex) => CoapDatagramSerializer.Default.Deserialize((ReadOnlySpan<byte>)Wire.Hex(hex));

    private protected static string EchoOf(string hex) => Wire.Hex(Read(hex).Options.Echo!.Value.Span);

    /// <summary>The bytes of an Echo option that follows an option of some number; nothing for an empty value.</summary>
    private protected static string EchoAfter(int number, string echo)
    {
        int length = echo.Length / 2;
        return length == 0 ? string.Empty
            : length < 13 ? $"d{length:x1}{252 - number - 13:x2}{echo}"
            : $"dd{252 - number - 13:x2}{length - 13:x2}{echo}";
    }

    /// <summary>A request for /big with a token of one byte.</summary>
    private protected static string Big(int messageId, string echo = "", string code = "01", bool confirmable = false) =>
        $"{(confirmable ? 4 : 5)}1{code}{messageId:x4}77b3626967{EchoAfter(11, echo)}";

    private protected string[] ExchangeAll(CoapAddress peer, string hex)
    {
        Transport.TakeSent();
        Transport.Receive(peer, hex);
        return Transport.TakeSent();
    }

    /// <summary>What leaves next, when another thread sends it.</summary>
    private protected async Task<string[]> NextSentAsync()
    {
        string[] sent = [];
        await Eventually.IsTrueAsync(() => (sent = Transport.TakeSent()).Length > 0);
        return sent;
    }
}
