namespace CoAP.NET.Simulation.Fuzz;

/// <summary>Messages in datagrams (RFC 7252 section 3).</summary>
internal sealed class DatagramTarget() : MessageTarget(CoapDatagramSerializer.Default, new WireShape(IsDatagram: true))
{
    public override ulong Run(byte[] input)
    {
        ulong signature = RunWhole(input, Reference.ReadDatagram(input), out CoapMessage? message);

        // What an answer to a malformed message needs.
        bool hasHeader = CoapDatagramSerializer.TryReadHeader(input, out CoapMessageType type, out ushort messageId);
        Check(hasHeader == (input.Length >= 4 && input[0] >> 6 == 1), "header", "Whether there is a header");
        Check(!hasHeader || ((int)type == ((input[0] >> 4) & 3) && messageId == ((input[2] << 8) | input[3])), "header",
            "Type or Message ID");
        bool hasToken = CoapDatagramSerializer.TryReadToken(input, out CoapMessage? head);
        Check(message is null or { IsEmpty: true } || (hasToken && head!.Token == message.Token), "header", "Token");
        return signature;
    }
}
