using System.Reflection;

namespace CoAP.NET.Dtls.Tests.Handshakes;

/// <summary>The secrets of a handshake are overwritten when it is disposed.</summary>
public sealed class SecretTests
{
    private const BindingFlags Fields = BindingFlags.NonPublic | BindingFlags.Instance;

    public static TheoryData<HandshakeKind, bool> Ends =>
        new(from kind in Enum.GetValues<HandshakeKind>() from isWhole in new[] { true, false } select (kind, isWhole));

    // Where protected records are lost, neither end is done.
    [Theory]
    [MemberData(nameof(Ends))]
    public void The_secrets_of_a_handshake_are_overwritten_with_zeros_when_both_ends_are_disposed(HandshakeKind kind, bool isWhole)
    {
        HandshakeScene scene = new(kind);
        scene.Path = (flight, _) => [.. flight.SelectMany(Wire.Records).Where(record => isWhole || Wire.TypeOf(record) is not null)];
        scene.Client.Start(null);
        scene.Run();
        Assert.Equal(isWhole, scene.IsDone);
        List<byte[]> secrets = [];
        foreach (Handshake end in new Handshake[] { scene.Client, scene.Server! })
        {
            secrets.Add(Secret(end, typeof(Handshake), "_master"));
            if (kind is HandshakeKind.Psk or HandshakeKind.EcdhePsk)
            {
                secrets.Add(Secret(end, typeof(Handshake), "_preSharedKey"));
            }
        }

        if (kind == HandshakeKind.Resumed)
        {
            ResumptionState offered = (ResumptionState)Field(typeof(ClientHandshake), "_offered").GetValue(scene.Client)!;
            SavedResumption found = (SavedResumption)Field(typeof(ServerHandshake), "_found").GetValue(scene.Server)!;
            secrets.Add(offered.Master);
            secrets.Add(found.Session);
        }

        Assert.All(secrets, static secret => Assert.True(secret.AsSpan().ContainsAnyExcept((byte)0)));
        scene.Dispose();
        Assert.All(secrets, static secret => Assert.False(secret.AsSpan().ContainsAnyExcept((byte)0)));
    }

    [Fact]
    public void Disposing_a_handshake_overwrites_the_record_keys_unless_a_session_has_them()
    {
        foreach (bool isDone in new[] { true, false })
        {
            ScriptedClient client = new(HandshakeKind.EcdhePsk);
            client.Hello();
            client.ExchangeKeys();
            if (isDone)
            {
                client.Finish();
            }

            RecordLayer records = (RecordLayer)Field(typeof(Handshake), "_records").GetValue(client.Server)!;
            Assert.True(HasKeys(records));
            client.Dispose();
            Assert.Equal(isDone, HasKeys(records));
        }
    }

    [Fact]
    public void Disposing_a_handshake_overwrites_a_session_state_that_no_shared_store_has_taken()
    {
        using ScriptedClient client = new(
            HandshakeKind.Psk, static settings => settings with { AsyncSessionStore = new SharedSessions() });
        client.Complete();
        client.AssertSession();
        byte[] kept = Secret(client.Server, typeof(ServerHandshake), "_kept");
        Assert.True(kept.AsSpan().ContainsAnyExcept((byte)0));
        client.Server.Dispose();
        Assert.False(kept.AsSpan().ContainsAnyExcept((byte)0));
    }

    private static bool HasKeys(RecordLayer records)
    {
        byte[] bytes = (byte[])Field(typeof(RecordLayer), "_bytes").GetValue(records)!;
        return bytes.AsSpan(0, records.Suite.KeyBlockLength).ContainsAnyExcept((byte)0);
    }

    private static byte[] Secret(Handshake end, Type type, string field) => (byte[])Field(type, field).GetValue(end)!;

    private static FieldInfo Field(Type type, string name) => type.GetField(name, Fields)!;
}
