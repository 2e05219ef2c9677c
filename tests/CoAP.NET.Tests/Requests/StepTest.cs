using System.Threading.Channels;
using CoAP.NET.Tests.Endpoints;

namespace CoAP.NET.Tests.Requests;

/// <summary>A client whose requests may go out again by themselves, on another thread than that of the test.</summary>
public abstract class StepTest : ClientTest
{
    private readonly Channel<string> _sent = Channel.CreateUnbounded<string>();

    private protected StepTest() => Transport.OnSent = (_, bytes) => _sent.Writer.TryWrite(Wire.Hex(bytes));

    /// <summary>The next datagram that leaves.</summary>
    private protected async Task<Sent> NextAsync() => new(await Within(_sent.Reader.ReadAsync().AsTask()));

    /// <summary>Answers a request by a piggybacked response.</summary>
    private protected void Answer(Sent request, string code, string rest = "") =>
        Transport.Receive(s_server, $"6{request.Hex[1]}{code}{request.MessageId}{request.Token}{rest}");

    private protected bool HasSent => _sent.Reader.TryPeek(out _);

    private protected void AssertNothingSent() => Assert.False(HasSent);
}
