using System.Buffers;
using CoAP.NET.Serialization;

namespace CoAP.NET.Simulation.Fuzz;

/// <summary>Messages in WebSocket messages (RFC 8323 section 4.2).</summary>
internal sealed class WebSocketTarget() : MessageTarget(CoapWebSocketSerializer.Default, default)
{
    public override string Name => "websocket";

    public override string Summary => "messages on WebSockets";

    public override int Share => 3000;

    public override ulong Run(byte[] input)
    {
        CoapMessage? message = Read(input, Reference.ReadWebSocket(input), input.Length, out CoapFormatError error);
        ulong seed = SeedOf(input);
        bool isRead = Serializer.TryDeserialize(SplitSequence.Make(input, seed), out CoapMessage? split, out SequencePosition _,
            out CoapFormatError splitError);
        Check(isRead == (message is not null) && splitError == error, "sequence", $"In one piece: {error}; in several: {splitError}.");
        if (message is not null)
        {
            CheckSame(message, split!, "sequence");
            CheckWritten(message, input);
        }

        CheckSlowWays(input, input.Length, message, error, seed);
        return Signature(message, error);
    }
}
