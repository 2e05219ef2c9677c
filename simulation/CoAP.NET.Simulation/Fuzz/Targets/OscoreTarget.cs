using CoAP.NET.Oscore;
using CoAP.NET.Oscore.Protection;

namespace CoAP.NET.Simulation.Fuzz;

/// <summary>
/// OSCORE (RFC 8613): the first byte says how many of the bytes that follow are the value of the option, the rest is ciphertext; and the
/// bytes as a message, which is protected and has to come back.
/// </summary>
internal sealed class OscoreTarget : ContentTarget
{
    private readonly OscoreContext _client;
    private readonly OscoreContext _server;

    public OscoreTarget()
    {
        using OscoreParameters client = new(Secret, [], [1]);
        using OscoreParameters server = new(Secret, [1], []);
        _client = OscoreContext.CreateVolatile(client);
        _server = OscoreContext.CreateVolatile(server);
    }

    public override int Share => 800;

    public override IReadOnlyList<byte[]> Dictionary { get; } =
    [
        [0x01], [0x09, 0x00], [0x09, 0x14, 0x01], [0x19, 0x00, 0x00], [0x0d], [0x05, 0xff, 0xff, 0xff, 0xff, 0xff], [0x08], [0x10, 0x08],
        [0x40, 0x01, 0, 1], [0x44, 0x02, 0, 2, 1, 2, 3, 4], [0x60], [0xff],
    ];

    private static ReadOnlySpan<byte> Secret => [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16];

    public override ulong Run(byte[] input)
    {
        int length = input.Length == 0 ? 0 : Math.Min(input[0], input.Length - 1);
        ulong signature = CheckForged(
            input.AsSpan(Math.Min(1, input.Length), length).ToArray(), input.AsSpan(Math.Min(input.Length, 1 + length)).ToArray());
        return FuzzRandom.Mix(signature, CheckRoundTrip(input));
    }

    public override void Dispose()
    {
        _client.DisposeAsync().AsTask().GetAwaiter().GetResult();
        _server.DisposeAsync().AsTask().GetAwaiter().GetResult();
        base.Dispose();
    }

    private ulong CheckForged(byte[] bytes, byte[] ciphertext)
    {
        if (!OscoreOptionValue.TryRead(bytes, out OscoreOptionValue value))
        {
            return 1;
        }

        byte[] written = new byte[value.Length];
        value.Write(written);
        Check(OscoreOptionValue.TryRead(written, out OscoreOptionValue again) && again.Kid.SequenceEqual(value.Kid)
            && again.HasKid == value.HasKid && again.PartialIv.SequenceEqual(value.PartialIv)
            && again.HasKidContext == value.HasKidContext && again.KidContext.SequenceEqual(value.KidContext), "option",
            $"{Convert.ToHexStringLower(bytes)} is read again as something else.");
        ulong form = Small(bytes.Length, 12) | (value.HasKid ? 16u : 0) | (value.HasKidContext ? 32u : 0) | (value.HasPartialIv ? 64u : 0);
        if (!value.HasKid || !value.HasPartialIv || !value.Kid.IsEmpty)
        {
            // No context has it: it is refused before anything is computed.
            return form;
        }

        CoapMessage message = new(CoapCode.Post) { Payload = ciphertext };
        message.Options.Add(OptionNumber.Oscore, bytes);
        BeginMeter(factor: 128);
        OscoreFault fault = OscoreMessageCipher.UnprotectRequest(_server, message, in value, out CoapMessage? request);
        EndMeter(bytes.Length + ciphertext.Length, "Verifying a forged request");
        Check(fault != OscoreFault.None && request is null, "forged", "A request was verified that nobody protected.");
        return FuzzRandom.Mix((ulong)fault, form);
    }

    private ulong CheckRoundTrip(byte[] input)
    {
        if (!CoapDatagramSerializer.Default.TryDeserialize(input.AsSpan(), out CoapMessage? message, out _)
            || !message.Code.IsRequest || message.Options.Contains(OptionNumber.Oscore) || message.Options.Contains(OptionNumber.ProxyUri))
        {
            return 0;
        }

        OscoreRequestId id = new([], 7);
        CoapMessage outer = OscoreMessageCipher.ProtectRequest(_client, message, id, kidContext: true);
        Check(outer.Options.TryGetValue(OptionNumber.Oscore, out ReadOnlySpan<byte> bytes)
            && OscoreOptionValue.TryRead(bytes, out OscoreOptionValue value)
            && OscoreMessageCipher.UnprotectRequest(_server, outer, in value, out CoapMessage? inner) == OscoreFault.None
            && inner!.Code == message.Code && inner.Payload.Span.SequenceEqual(message.Payload.Span), "round-trip",
            $"{message} did not come back.");
        return 64 + Small(outer.Payload.Length, 64);
    }
}
