using System.Net;

namespace CoAP.NET.Tests.Endpoints;

/// <summary>What tests of a client say of its datagrams. One name, two.example, has two addresses.</summary>
public abstract class ClientTest : RequestingTest
{
    private protected static readonly CoapAddress s_server = CoapAddress.FromIPv4(0xc0000201, 5683);
    private protected static readonly CoapAddress s_stranger = CoapAddress.FromIPv4(0xc0000209, 5683);

    private protected ClientTest() => Options.Transports.ResolveHost = (name, _) => Task.FromResult(name == "two.example"
        ? new[] { IPAddress.Parse("192.0.2.9"), IPAddress.Parse("192.0.2.1") }
        : [IPAddress.Parse("192.0.2.1")]);

    private protected static Task<T> Within<T>(Task<T> task) => task.WaitAsync(HangGuard.InMemory);

    private protected static Task Within(Task task) => task.WaitAsync(HangGuard.InMemory);

    private protected Sent TakeOne() => new(Assert.Single(Transport.TakeSent()));

    private protected sealed record Sent(string Hex)
    {
        public int Type => (Convert.ToInt32(Hex[..1], 16)) & 3;

        public int Code => Convert.ToInt32(Hex[2..4], 16);

        public string MessageId => Hex[4..8];

        public string Token => Hex.Substring(8, 2 * (Convert.ToInt32(Hex[1..2], 16)));
    }
}
