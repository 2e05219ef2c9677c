namespace CoAP.NET.Dtls.Tests.Handshakes;

/// <summary>What either end refuses or ignores of another that breaks the rules.</summary>
public sealed class ScriptedPeerTests
{
    private const int PointLength = 65;

    /// <summary>Kinds of handshakes, each with the role of the end that breaks the rules: true for the server.</summary>
    public static TheoryData<HandshakeKind, bool> Ends { get; } = new MatrixTheoryData<HandshakeKind, bool>(
        [HandshakeKind.Psk, HandshakeKind.Ecdsa, HandshakeKind.EcdsaMutual], [false, true]);

    [Theory]
    [MemberData(nameof(Ends))]
    public void Finished_with_a_wrong_byte_is_refused(HandshakeKind kind, bool isServer)
    {
        for (int i = 0; i < 12; i++)
        {
            using ScriptedPeer peer = ScriptedPeer.Create(kind, isServer);
            peer.Alter = (type, body) => type == HandshakeType.Finished ? [.. body[..i], (byte)(body[i] ^ 1), .. body[(i + 1)..]] : body;
            peer.Complete();
            peer.AssertRefused(AlertDescription.DecryptError);
        }
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void Finished_computed_for_the_other_role_is_refused(bool isServer)
    {
        using ScriptedPeer peer = ScriptedPeer.Create(HandshakeKind.Psk, isServer);
        peer.SendOrder();
        peer.Protected(ContentType.Handshake, peer.MakeFinished(asServer: !isServer));
        peer.AssertRefused(AlertDescription.DecryptError);
    }

    [Theory]
    [MemberData(nameof(Ends))]
    public void An_unprotected_Finished_is_ignored(HandshakeKind kind, bool isServer)
    {
        using ScriptedPeer peer = ScriptedPeer.Create(kind, isServer);
        peer.SendOrder();
        peer.ChangeCipherSpec();
        byte[] finished = peer.MakeFinished();
        peer.Plain(ContentType.Handshake, finished);
        peer.AssertWaits();
        peer.Protected(ContentType.Handshake, finished);
        peer.AssertSession();
    }

    [Theory]
    [MemberData(nameof(Ends))]
    public void Application_data_before_Finished_is_ignored(HandshakeKind kind, bool isServer)
    {
        using ScriptedPeer peer = ScriptedPeer.Create(kind, isServer);
        peer.Begin();
        foreach (HandshakeType type in peer.Order)
        {
            peer.Plain(ContentType.ApplicationData, [0x40, 1, 0, 1]);
            peer.Send(type);
        }

        for (int i = 0; i < 10; i++)
        {
            peer.Plain(ContentType.ApplicationData, [0x40, 1, 0, 1]);
            peer.Protected(ContentType.ApplicationData, [0x40, 1, 0, 1]);
        }

        peer.AssertWaits();
        peer.Finish();
        peer.AssertSession();
    }

    [Theory]
    [MemberData(nameof(Ends))]
    public void ChangeCipherSpec_records_that_come_early_or_twice_are_ignored(HandshakeKind kind, bool isServer)
    {
        using ScriptedPeer peer = ScriptedPeer.Create(kind, isServer);
        peer.Begin();
        peer.ChangeCipherSpec();
        foreach (HandshakeType type in peer.Order)
        {
            peer.Send(type);
            peer.ChangeCipherSpec();
            peer.ChangeCipherSpec();
        }

        peer.AssertWaits();
        peer.Finish();
        peer.AssertSession();
    }

    // Off the curve, infinity, compressed, hybrid, other lengths, coordinates beyond the field.
    [Theory]
    [InlineData(4, 1, PointLength)]
    [InlineData(4, 0, PointLength)]
    [InlineData(4, 0xFF, PointLength)]
    [InlineData(2, 1, 33)]
    [InlineData(6, 1, PointLength)]
    [InlineData(0, 0, 1)]
    [InlineData(0, 0, 0)]
    [InlineData(4, 1, PointLength - 1)]
    [InlineData(4, 1, 97)]
    public void A_point_that_is_not_on_the_curve_is_refused(byte form, byte fill, int length)
    {
        byte[] point = new byte[length];
        Array.Fill(point, fill);
        point.AsSpan(0, Math.Min(1, length)).Fill(form);
        AssertRefused(point);
    }

    [Theory]
    [InlineData(0)]
    [InlineData(2)]
    [InlineData(5)]
    [InlineData(6)]
    [InlineData(7)]
    public void A_point_on_the_curve_in_a_form_other_than_uncompressed_is_refused(byte form)
    {
        using EphemeralKey key = EphemeralKey.TryCreate([0, 23])!;
        AssertRefused([form, .. key.Point.AsSpan(1)]);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void A_hello_with_renegotiation_data_of_an_earlier_handshake_is_refused(bool isServer)
    {
        using ScriptedPeer peer = ScriptedPeer.Create(HandshakeKind.Psk, isServer);
        peer.Extensions[0xFF01] = [1, 7];
        peer.Hello();
        peer.AssertRefused(AlertDescription.HandshakeFailure);
    }

    [Theory]
    [InlineData(10, false)]
    [InlineData(23, false)]
    [InlineData(0x1234, false)]
    [InlineData(23, true)]
    [InlineData(19, true)]
    public void A_hello_with_the_same_extension_twice_is_refused(int type, bool isServer)
    {
        using ScriptedPeer peer = ScriptedPeer.Create(isServer ? HandshakeKind.RawPublicKeys : HandshakeKind.Ecdsa, isServer);
        peer.Twice = (ushort)type;
        peer.Extensions.TryAdd((ushort)type, []);
        peer.Hello();
        peer.AssertRefused(AlertDescription.DecodeError);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void A_handshake_does_not_complete_if_the_ends_have_different_keys(bool isServer)
    {
        using ScriptedPeer peer = ScriptedPeer.Create(HandshakeKind.EcdhePsk, isServer);
        peer.SendOrder();
        peer.Master[0] ^= 1;
        peer.UseKeys();
        peer.Finish();
        peer.AssertWaits();
        Assert.Equal(1, peer.Target.Forgeries);
    }

    private static void AssertRefused(byte[] point)
    {
        foreach (HandshakeKind kind in new[] { HandshakeKind.EcdhePsk, HandshakeKind.Ecdsa, HandshakeKind.RawPublicKeys })
        {
            foreach (bool isServer in new[] { false, true })
            {
                using ScriptedPeer peer = ScriptedPeer.Create(kind, isServer);
                peer.Point = point;
                peer.SendOrder();
                peer.AssertRefused(AlertDescription.IllegalParameter);
            }
        }
    }
}
