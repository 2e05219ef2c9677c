using CoAP.NET.Cryptography;
using MessageHeader = CoAP.NET.Dtls.Handshakes.MessageHeader;

namespace CoAP.NET.Dtls.Tests.Handshakes;

/// <summary>
/// The other end of a handshake under test, which sends what a test tells it: it may omit, repeat, reorder and alter messages, with the
/// numbers and the hashes that belong to what it sent.
/// </summary>
internal abstract class ScriptedPeer : IDisposable
{
    private const int ProofLength = 12;
    private readonly bool _isServer;
    private ulong _sequence = 1;

    protected ScriptedPeer(HandshakeKind kind, bool isServer)
    {
        Kind = kind;
        _isServer = isServer;
        Suite = HandshakeScene.ServerSettings(kind).Suites[0];
        OwnRandom = new byte[32];
        CoapRandomSource.Secure.Fill(OwnRandom);
    }

    public HandshakeKind Kind { get; }

    /// <summary>The end under test.</summary>
    public abstract Handshake Target { get; }

    public CipherSuite Suite { get; set; }

    public VirtualClock Clock { get; } = new();

    /// <summary>The messages after ClientHello and before Finished, as a handshake of the kind has them.</summary>
    public abstract IReadOnlyList<HandshakeType> Order { get; }

    /// <summary>The version in its hello.</summary>
    public ushort Version { get; set; } = RecordHeader.Version;

    public byte[] SessionId { get; set; } = [];

    /// <summary>The extensions of its hello.</summary>
    public SortedDictionary<ushort, byte[]> Extensions { get; } = new() { [23] = [] };

    /// <summary>The extension that its hello has twice; null for none.</summary>
    public ushort? Twice { get; set; }

    /// <summary>The point in place of that of an ephemeral key.</summary>
    public byte[]? Point { get; set; }

    /// <summary>The number of the next message.</summary>
    public ushort Number { get; set; }

    public byte[] OwnRandom { get; }

    public byte[] PeerRandom { get; protected set; } = [];

    public byte[] Master { get; set; } = new byte[48];

    public RecordLayer? Records { get; private set; }

    /// <summary>The unprotected messages of the end under test.</summary>
    public List<(HandshakeType Type, byte[] Body)> Heard { get; } = [];

    /// <summary>The fatal alert of the end under test.</summary>
    public AlertDescription? Refusal { get; private set; }

    /// <summary>Whether Finished of the end under test is right.</summary>
    public bool IsProved { get; private set; }

    /// <summary>Changes the content of a message before it goes out and into the hashes.</summary>
    public Func<HandshakeType, byte[], byte[]>? Alter { get; set; }

    /// <summary>Whether what it sends does not arrive.</summary>
    public bool IsLost { get; set; }

    public EphemeralKey? Ephemeral { get; set; }

    public Transcript Transcript { get; private set; } = new(keepsBytes: true);

    protected bool HasExtendedMasterSecret { get; set; } = true;

    /// <summary>Creates an end.</summary>
    /// <param name="kind">The kind of handshake.</param>
    /// <param name="isServer">Whether it is the server, and a client is under test.</param>
    public static ScriptedPeer Create(HandshakeKind kind, bool isServer) => isServer ? new ScriptedServer(kind) : new ScriptedClient(kind);

    /// <summary>Sends its hello.</summary>
    public abstract void Hello();

    /// <summary>Sends what comes before <see cref="Order"/>.</summary>
    public virtual void Begin()
    {
    }

    /// <summary>Sends a message as a whole handshake has it.</summary>
    public abstract void Send(HandshakeType type);

    /// <summary>Sends all messages before Finished.</summary>
    public void SendOrder()
    {
        Begin();
        Order.ToList().ForEach(Send);
    }

    /// <summary>Sends the messages of a whole handshake.</summary>
    /// <param name="without">The one that it omits.</param>
    public void Complete(HandshakeType? without = null)
    {
        Begin();
        foreach (HandshakeType type in Order.Where(type => type != without))
        {
            Send(type);
        }

        if (Records is null)
        {
            UseKeys();
        }

        Finish();
    }

    protected abstract void Deliver(byte[] datagram);

    protected abstract void OnHeard(HandshakeType type, byte[] body);

    /// <summary>Sends an unprotected record.</summary>
    public void Plain(ContentType type, ReadOnlySpan<byte> content)
    {
        byte[] record = Wire.Record(type, content, _sequence++);
        if (!IsLost)
        {
            Deliver(record);
            Listen();
        }
    }

    /// <summary>Sends a protected record.</summary>
    public void Protected(ContentType type, ReadOnlySpan<byte> content)
    {
        byte[] record = new byte[Records!.RecordLength(content.Length)];
        Assert.Equal(record.Length, Records.Seal(type, content, record));
        Deliver(record);
        Listen();
    }

    /// <summary>Sends an unprotected message with the next number.</summary>
    public void Send(HandshakeType type, Func<MessageWriter, MessageWriter> write) => Plain(ContentType.Handshake, Make(type, write));

    /// <summary>Sends a message that does not count: neither its number nor its hash.</summary>
    public void Forge(HandshakeType type, ReadOnlySpan<byte> body) =>
        Plain(ContentType.Handshake, Wire.Fragment(new MessageHeader(type, body.Length, Number, 0, body.Length), 0, body));

    public void ChangeCipherSpec() => Plain(ContentType.ChangeCipherSpec, [1]);

    public byte[] MakeFinished(bool? asServer = null)
    {
        byte[] proof = Proof(asServer ?? _isServer);
        return Make(HandshakeType.Finished, writer => writer.Bytes(proof));
    }

    /// <summary>Sends ChangeCipherSpec and Finished.</summary>
    public void Finish()
    {
        ChangeCipherSpec();
        Protected(ContentType.Handshake, MakeFinished());
    }

    /// <summary>Derives the keys of records from the master secret.</summary>
    public void UseKeys()
    {
        byte[] keys = KeyBlock.Derive(Suite, Master, _isServer ? PeerRandom : OwnRandom, _isServer ? OwnRandom : PeerRandom);
        Records = new RecordLayer(Suite, keys, _isServer, [], []);
    }

    /// <summary>Checks that the handshake under test ended with an alert.</summary>
    public void AssertRefused(AlertDescription alert, HandshakeFault fault = HandshakeFault.Other)
    {
        Assert.Equal((HandshakeStatus.Failed, fault), (Target.Status, Target.Failure?.Fault));
        Assert.Equal(alert, Refusal);
    }

    /// <summary>Checks that the handshake under test goes on waiting, and has no keys in use.</summary>
    public void AssertWaits()
    {
        Assert.Equal((HandshakeStatus.Running, null), (Target.Status, Target.Failure));
        Assert.Null(Refusal);
        Assert.False(IsProved && !_isServer);
    }

    /// <summary>Checks that both ends are done and have the same keys.</summary>
    public void AssertSession()
    {
        Assert.Equal((HandshakeStatus.Done, null), (Target.Status, Target.Failure));
        Assert.True(IsProved);
        RecordLayer other = Target.Establish().Records;
        Assert.Equal("ping"u8.ToArray(), HandshakePair.Exchange(Records!, other, "ping"u8.ToArray()));
        Assert.Equal("pong"u8.ToArray(), HandshakePair.Exchange(other, Records!, "pong"u8.ToArray()));
    }

    public void Dispose()
    {
        Target.Dispose();
        Ephemeral?.Dispose();
    }

    protected MessageWriter WriteExtensions(MessageWriter hello)
    {
        HasExtendedMasterSecret = Extensions.ContainsKey(23);
        int extensions = hello.BeginVector(2);
        foreach ((ushort type, byte[] content) in Extensions)
        {
            _ = hello.UInt16(type).Vector(2, content);
        }

        if (Twice is { } again)
        {
            _ = hello.UInt16(again).Vector(2, Extensions[again]);
        }

        return hello.EndVector(extensions, 2);
    }

    protected void Restart() => Transcript = new(keepsBytes: true);

    /// <summary>Derives the master secret and the keys (RFC 5246 section 8.1, RFC 4279 section 2, RFC 5489 section 2).</summary>
    protected void DeriveMaster(byte[] point)
    {
        byte[] agreed = Ephemeral?.Agree(point) ?? [];
        byte[] key = HandshakeScene.Key;
        byte[] other = Ephemeral is null ? new byte[key.Length] : agreed;
        byte[] premaster = Suite.UsesPreSharedKey ? [0, (byte)other.Length, .. other, 0, (byte)key.Length, .. key] : agreed;
        Master = new byte[48];
        if (HasExtendedMasterSecret)
        {
            Prf.Expand(PrfHash.Sha256, premaster, "extended master secret"u8, Hash(), Master);
        }
        else
        {
            Prf.Expand(PrfHash.Sha256, premaster, "master secret"u8, _isServer ? [.. PeerRandom, .. OwnRandom]
                : [.. OwnRandom, .. PeerRandom], Master);
        }

        UseKeys();
    }

    protected byte[] Hash()
    {
        byte[] hash = new byte[32];
        Transcript.Hash(hash);
        return hash;
    }

    protected void Listen()
    {
        foreach (byte[] record in Target.TakeOutput().SelectMany(Wire.Records))
        {
            Assert.True(RecordHeader.TryRead(record, 0, out RecordHeader header));
            ContentType type = header.Type;
            Range content = header.HeaderLength..;
            if (header.Epoch == 1 && Records?.Open(header, record, out type, out content, out _) != RecordOpenResult.Opened)
            {
                continue;
            }

            ReadOnlySpan<byte> bytes = record.AsSpan()[content];
            if (type == ContentType.Alert)
            {
                Refusal = (AlertDescription)bytes[1];
            }
            else if (type == ContentType.Handshake)
            {
                Assert.True(MessageHeader.TryRead(bytes, out MessageHeader message) && message.IsWhole);
                Assert.Equal(message.Type == HandshakeType.Finished, header.Epoch == 1);
                byte[] body = bytes[MessageHeader.Size..].ToArray();
                if (message.Type == HandshakeType.Finished)
                {
                    IsProved = Proof(!_isServer).SequenceEqual(body);
                    Transcript.Add(bytes);
                    continue;
                }

                Transcript.Add(bytes);
                Heard.Add((message.Type, body));
                OnHeard(message.Type, body);
            }
        }
    }

    private byte[] Make(HandshakeType type, Func<MessageWriter, MessageWriter> write)
    {
        byte[] message = write(new MessageWriter(type, Number)).Finish();
        if (Alter is not null)
        {
            byte[] body = Alter(type, message[MessageHeader.Size..]);
            message = Wire.Fragment(new MessageHeader(type, body.Length, Number, 0, body.Length), 0, body);
        }

        Number++;
        Transcript.Add(message);
        return message;
    }

    private byte[] Proof(bool ofServer)
    {
        byte[] proof = new byte[ProofLength];
        Prf.Expand(PrfHash.Sha256, Master, ofServer ? "server finished"u8 : "client finished"u8, Hash(), proof);
        return proof;
    }
}
