using CoAP.NET.Edhoc;
using CoAP.NET.Edhoc.Coap;
using CoAP.NET.Edhoc.Messages;
using CoAP.NET.Edhoc.Schedule;

namespace CoAP.NET.Simulation.Fuzz;

/// <summary>
/// Messages, plaintexts and credentials of EDHOC (RFC 9528): whatever the bytes are, they are read or refused by an
/// <see cref="EdhocException"/>, and what is read is written as it came.
/// </summary>
internal sealed class EdhocTarget : ContentTarget
{
    private readonly EdhocSettings _settings = new();
    private readonly EdhocPrivateKey _key = EdhocPrivateKey.FromBytes(EdhocCurve.P256, [.. new byte[31], 7]);
    private readonly EdhocOwnCredential[] _own;

    public EdhocTarget()
    {
        EdhocCredential credential = EdhocCredential.Create(_key.PublicKey, [0x2b], "fuzz");
        _own = [new EdhocOwnCredential(credential, EdhocCredentialId.OfKeyId([0x2b]), _key)];
        _settings.EadLabels.Add(9);
    }

    public override int Share => 300;

    public override IReadOnlyList<byte[]> Dictionary { get; } =
    [
        [0x03, 0x02, 0x58, 0x20], [0x00, 0x82, 0x06, 0x02], [0x58, 0x20], [0x41, 0x18], [0x2d], [0x09, 0x41, 0x00], [0x28, 0x40],
        [0x00, 0x43],
        [0xa1, 0x04, 0x41, 0x2b], [0xa1, 0x18, 0x22, 0x82, 0x2e, 0x48], [0xa1, 0x18, 0x21, 0x82], [0xa1, 0x0e, 0xa2], [0xa1, 0x0d, 0x84],
        [0xa2, 0x02, 0x61, 0x61, 0x08, 0xa1, 0x01, 0xa5, 0x01, 0x02, 0x20, 0x01, 0x21, 0x58, 0x20], [0x01, 0x61, 0x78],
        [0x02, 0x82, 0x02, 0x03], [0x03, 0xf5], [0xf5], [0x30, 0x82],
    ];

    protected override byte[]? Nesting { get; } = [0xa1, 0x04];

    public override ulong Run(byte[] input)
    {
        ulong signature = Try(() =>
        {
            using EdhocResponder responder = new(_settings, _own);
            return (ulong)responder.ReadMessage1(input).Count + 1;
        });
        signature = FuzzRandom.Mix(signature, Try(() => ReadFirst(input)));
        signature = FuzzRandom.Mix(signature, Try(() =>
        {
            EdhocCredentialId id = EdhocCredentialId.Read(input);
            Check(id.Encoded.Span.SequenceEqual(input) && EdhocCredentialId.Read(id.Encoded.Span).Kind == id.Kind, "id",
                $"{id} is not what was read.");
            return (ulong)id.Kind + 1;
        }));
        signature = FuzzRandom.Mix(signature, Try(() => (ulong)EdhocCredential.OfCcs(input).PublicKey.Curve));
        signature = FuzzRandom.Mix(signature, Try(() => (ulong)EdhocCredential.OfCoseKey(input).PublicKey.Curve));
        signature = FuzzRandom.Mix(signature, Try(() => (ulong)EdhocException.OfPeer(input).Code + 1));
        signature = FuzzRandom.Mix(signature, Try(() => ReadPlaintext(input)));
        signature = FuzzRandom.Mix(signature, Try(() =>
        {
            ReadOnlyMemory<byte> message = CombinedRequestPayload.Read(input, out ReadOnlyMemory<byte> ciphertext);
            Check(CombinedRequestPayload.Write(message.Span, ciphertext.Span).AsSpan().SequenceEqual(input), "combined", "Bytes are lost.");
            return 1;
        }));
        return FuzzRandom.Mix(signature, Try(() => (ulong)RequestPayload.Read(input, out _).Length & 1));
    }

    public override void Dispose()
    {
        _key.Dispose();
        base.Dispose();
    }

    // Other exceptions are failures.
    private ulong Try(Func<ulong> read)
    {
        try
        {
            return read() + 256;
        }
        catch (EdhocException exception)
        {
            byte[] told = exception.ToMessage();
            Check(told.Length > 0 && exception.Message.Length > 0, "error", "An error says nothing.");
            return Small(exception.Message.Length, 255);
        }
    }

    private static ulong ReadFirst(byte[] input)
    {
        SequenceReader reader = new(input, "message_1");
        EdhocMessage1 first = EdhocMessage1.Read(ref reader, 7);
        byte[] written = first.Write();
        Check(input.AsSpan(0, reader.Position).SequenceEqual(written), "written",
            $"{Convert.ToHexStringLower(input.AsSpan(0, reader.Position))} was written as {Convert.ToHexStringLower(written)}.");
        return (ulong)first.Suites.Length;
    }

    private ulong ReadPlaintext(byte[] input)
    {
        SequenceReader reader = new(input, "PLAINTEXT_3");
        (_, byte[] proof, EdhocClaimedPeerIdentity claim) = EdhocPlaintextProcessor.Read(
            ref reader, input, EdhocRole.Initiator, EdhocMethod.StaticStatic, EdhocCipherSuite.Find(2)!, _settings);
        return (ulong)proof.Length + (ulong)claim.CredentialId.Kind + (ulong)claim.Ead.Count;
    }
}
