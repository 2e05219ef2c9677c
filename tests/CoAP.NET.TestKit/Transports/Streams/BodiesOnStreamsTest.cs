namespace CoAP.NET.Tests.Transports.Streams;

/// <summary>A server, and a peer that sends one frame after the other.</summary>
public abstract class BodiesOnStreamsTest : ConnectionTest
{
    private protected static CoapMessage Ask(DirectConnection connection, CoapMessage request)
    {
        connection.Receive(Frames.Write(request));
        return Frames.Read(Assert.Single(connection.TakeSent()));
    }

    /// <summary>The next frame after this one, on whatever thread it leaves.</summary>
    private protected static async Task<CoapMessage> AskAsync(DirectConnection connection, CoapMessage request)
    {
        TaskCompletionSource<string> sent = new(RunContinuationsAsynchronously);
        connection.OnSent = hex => sent.TrySetResult(hex);
        connection.Receive(Frames.Write(request));
        CoapMessage answer = Frames.Read(await Within(sent.Task));
        connection.OnSent = null;
        connection.TakeSent();
        return answer;
    }

    private protected static string AskHex(DirectConnection connection, string hex)
    {
        connection.Receive(hex);
        return Assert.Single(connection.TakeSent());
    }
}
