using System.Threading.Tasks.Dataflow;
using CoAP.NET.Execution;
using CoAP.NET.Messaging;
using CoAP.NET.Formats;
using CoAP.NET.Testing;
using CoAP.NET.Transports;

namespace CoAP.NET.Tests.Messaging;

/// <summary>
/// The real Serializer and Messaging blocks of one shard between a wire of hexadecimal digits and a scripted stage above, on a virtual
/// clock.
/// </summary>
internal sealed class MessagingRig
{
    private readonly SerializerInboundBlock _serializerIn;
    private readonly SerializerOutboundBlock _serializerOut;
    private readonly FakeTransport _transport = new();
    private readonly long _begin;

    public MessagingRig(CoapLimits? limits = null, ulong seed = 1, int shardCount = 1)
    {
        _begin = Clock.Now;
        Environment = new CoapEnvironment
        {
            TimeProvider = Clock,
            Random = new VirtualRandom(seed),
            Scheduler = CoapThreadScheduler.Default,
            Limits = limits ?? new CoapLimits(),
            Counters = Counters,
            Logger = Logger,
            ParametersOf = _ => CoapTransmissionParameters.Default,
        };
        Shard = new CoapShard(0, Environment);
        Layer = new MessageLayer(Shard, shardCount);
        Outbound = new MessagingOutboundBlock(Shard, Layer);
        Inbound = new MessagingInboundBlock(Shard, Layer);
        MessagingEffects.Attach(Outbound, Inbound, Layer);
        _serializerIn = new SerializerInboundBlock(Environment, MessageFormats.Default);
        _serializerOut = new SerializerOutboundBlock(Environment, MessageFormats.Default, new CoapDatagramPool(2048));
        _serializerIn.LinkTo(Inbound, new DataflowLinkOptions());
        Inbound.LinkTo(new Collector<CoapInbound>(TakeUp), new DataflowLinkOptions());
        Outbound.LinkTo(new Collector<CoapOutbound>(TakeOutgoing), new DataflowLinkOptions());
        _serializerOut.LinkTo(new Collector<CoapDatagram>(TakeDown), new DataflowLinkOptions());
        Logger.IsLockHeld = () => Shard.Gate.IsHeldByCurrentThread;
    }

    public VirtualTime Clock { get; } = new();

    public CoapEnvironment Environment { get; }

    public CoapCounters Counters { get; } = new();

    public RecordingLogger Logger { get; } = new();

    public CoapShard Shard { get; }

    public MessageLayer Layer { get; }

    public MessagingInboundBlock Inbound { get; }

    public MessagingOutboundBlock Outbound { get; }

    /// <summary>What went out: when in seconds, to which port, which bytes.</summary>
    public List<(double At, ushort Port, string Hex)> Sent { get; } = [];

    /// <summary>What went up.</summary>
    public List<CoapInbound> Up { get; } = [];

    /// <summary>The stage above. Default: remembers only.</summary>
    public Action<CoapInbound> Handle { get; set; } = _ => { };

    /// <summary>Whether the stage above takes items.</summary>
    public bool TakesUp { get; set; } = true;

    /// <summary>
    /// Looks at what leaves Messaging: true passes it on to be encoded, false declines it, null keeps it for <see cref="Encode"/>.
    /// </summary>
    public Func<CoapOutbound, bool?> Outgoing { get; set; } = _ => true;

    /// <summary>Whether any stage was called with the lock held.</summary>
    public bool CalledUnderLock { get; private set; }

    public double Seconds => FromTicks(Clock.Now - _begin).TotalSeconds;

    /// <summary>The bytes that went out, without times.</summary>
    public string[] Bytes => [.. Sent.Select(sent => sent.Hex)];

    public CoapChannel Channel(ushort port = 5683, CoapTransmissionParameters? parameters = null, bool verified = false,
        bool newcomer = false, CoapAddress? address = null) =>
            new(Shard, _transport, 0, address ?? CoapAddress.FromIPv4(0xc0000201, port), default,
                parameters ?? CoapTransmissionParameters.Default)
            {
                IsVerified = verified,
                IsNewcomer = newcomer,
            };

    public void Receive(CoapChannel channel, string hex, bool multicast = false, bool truncated = false)
    {
        byte[] bytes = Wire.Hex(hex);
        CoapDatagram datagram = new(bytes.Length)
        {
            Length = bytes.Length,
            Remote = channel.Remote,
            Local = multicast ? CoapAddress.FromIPv4(0xe00001bb, 5683) : default,
            IsTruncated = truncated,
            Transport = _transport,
            Channel = channel,
        };
        bytes.CopyTo(datagram.Buffer, 0);
        _serializerIn.OfferMessage(new DataflowMessageHeader(1), datagram, null, false);
    }

    public bool Encode(CoapOutbound item) =>
        _serializerOut.OfferMessage(new DataflowMessageHeader(1), item, null, false) == DataflowMessageStatus.Accepted;

    public void Offer(in CoapOutbound item) => Outbound.OfferMessage(new DataflowMessageHeader(1), item, null, false);

    public void Reply(CoapInbound to, CoapMessage response)
    {
        response.Token = to.Message?.Token ?? default;
        Offer(new CoapOutbound { Channel = to.Channel, Received = to.Received, Message = response });
    }

    public void Answer(CoapInbound to, CoapOutboundAction kind) =>
        Offer(new CoapOutbound { Channel = to.Channel, Kind = kind, Received = to.Received });

    public CoapTransmission Send(CoapChannel channel, CoapMessageType type = CoapMessageType.Confirmable, CoapCode? code = null,
        string token = "a1", ITransmissionOwner? owner = null, bool isOfBody = false, CoapQuotaSource? onBehalfOf = null)
    {
        CoapMessage message = new(code ?? CoapCode.Get) { Type = type, Token = new CoapToken(Wire.Hex(token)) };
        CoapTransmission transmission = new(channel, message, owner) { IsOfBody = isOfBody, OnBehalfOf = onBehalfOf };
        Offer(new CoapOutbound { Channel = channel, Message = message, Transmission = transmission });
        return transmission;
    }

    public void Cancel(CoapTransmission transmission) =>
        Offer(new CoapOutbound { Channel = transmission.Channel, Kind = CoapOutboundAction.Cancel, Transmission = transmission });

    /// <summary>Lets time pass, as the driver of a clock would.</summary>
    public void Pass(double seconds)
    {
        long end = Clock.Now + (long)(seconds * TimeSpan.TicksPerSecond);
        while (true)
        {
            long due = Shard.Advance(Clock.Now);
            if (Clock.Now >= end)
            {
                return;
            }

            Clock.Now = Math.Clamp(due, Clock.Now + 1, end);
        }
    }

    /// <summary>Goes to a time since the beginning.</summary>
    public void PassUntil(double seconds) => Pass(seconds - Seconds);

    /// <summary>Locks and asks the layer.</summary>
    public T Ask<T>(Func<MessageLayer, T> question)
    {
        Shard.Enter();
        try
        {
            return question(Layer);
        }
        finally
        {
            Shard.ExitAndSend();
        }
    }

    public static ushort MidOf(string hex) => Convert.ToUInt16(hex.Substring(4, 4), 16);

    public string LastMid => Sent[^1].Hex.Substring(4, 4);

    public IEnumerable<CoapInboundKind> Events => Up.Where(item => item.Kind != CoapInboundKind.Message).Select(item => item.Kind);

    private bool TakeUp(CoapInbound item)
    {
        CalledUnderLock |= Shard.Gate.IsHeldByCurrentThread;
        if (!TakesUp)
        {
            return false;
        }

        lock (Up)
        {
            Up.Add(item);
        }

        Handle(item);
        return true;
    }

    private bool TakeOutgoing(CoapOutbound item)
    {
        CalledUnderLock |= Shard.Gate.IsHeldByCurrentThread;
        return Outgoing(item) switch
        {
            true => Encode(item),
            false => false,
            null => true,
        };
    }

    private bool TakeDown(CoapDatagram datagram)
    {
        CalledUnderLock |= Shard.Gate.IsHeldByCurrentThread;
        lock (Sent)
        {
            Sent.Add((Seconds, datagram.Channel!.Remote.Port, Wire.Hex(datagram.Span)));
        }

        datagram.Dispose();
        return true;
    }
}
