namespace CoAP.NET.Tests.Streams;

/// <summary>A server, and a peer that sends one frame after the other.</summary>
public abstract class BodiesOnStreamsTest : ConnectionTest
{
    private protected static CoapMessage Ask(DirectConnection connection, CoapMessage request)
    {
        connection.Receive(Frames.Write(request));
        return Frames.Read(Assert.Single(connection.TakeSent()));
    }

    private protected static string AskHex(DirectConnection connection, string hex)
    {
        connection.Receive(hex);
        return Assert.Single(connection.TakeSent());
    }
}
