using System.Buffers;
using CoAP.NET.Serialization;

namespace CoAP.NET.Simulation.Fuzz;

/// <summary>Messages in datagrams (RFC 7252 section 3).</summary>
internal sealed class DatagramTarget() : MessageTarget(CoapDatagramSerializer.Default, new WireShape(IsDatagram: true))
{
    public override string Name => "datagram";

    public override string Summary => "messages in datagrams";

    public override ulong Run(byte[] input)
    {
        bool expected = Reference.ReadDatagram(input);
        CoapMessage? message = Read(input, expected, input.Length, out CoapFormatError error);
        ulong seed = SeedOf(input);
        bool isRead = Serializer.TryDeserialize(SplitSequence.Make(input, seed), out CoapMessage? split, out SequencePosition _,
            out CoapFormatError splitError);
        Check(isRead == (message is not null) && splitError == error, "sequence", $"In one piece: {error}; in several: {splitError}.");
        if (message is not null)
        {
            CheckSame(message, split!, "sequence");
            CheckWritten(message, input);
        }

        // What an answer to a malformed message needs.
        bool hasHeader = CoapDatagramSerializer.TryReadHeader(input, out CoapMessageType type, out ushort messageId);
        Check(hasHeader == (input.Length >= 4 && input[0] >> 6 == 1), "header", "Whether there is a header");
        Check(!hasHeader || ((int)type == ((input[0] >> 4) & 3) && messageId == ((input[2] << 8) | input[3])), "header",
            "Type or Message ID");
        bool hasToken = CoapDatagramSerializer.TryReadToken(input, out CoapMessage? head);
        Check(message is null or { IsEmpty: true } || (hasToken && head!.Token == message.Token), "header", "Token");
        CheckSlowWays(input, input.Length, message, error, seed);
        return Signature(message, error);
    }
}
