using System.Security.Cryptography;
using System.Text;
using CoAP.NET.Cluster.Maps;
using CoAP.NET.Cluster.Records;

namespace CoAP.NET.Cluster.Devices.Outbox;

/// <summary>A stored request in the outbox of a device. The outbox guards its mutable fields.</summary>
internal sealed class OutboxEntry
{
    private const int HashLength = 16;

    // Leaves room for the encryption overhead.
    private const int MaxState = CoapRecordWrite.MaxStateLength - 256;

    private byte[] _request = [];
    private byte[] _response = [];

    public required Guid Id { get; init; }

    public required string Device { get; init; }

    public required string Caller { get; init; }

    public required DateTimeOffset Queued { get; set; }

    public required DateTimeOffset Expires { get; init; }

    /// <summary>Whether to repeat it if it may have taken effect.</summary>
    public required bool IsRepeatable { get; init; }

    /// <summary>Its position in the outbox of the device.</summary>
    public long Sequence { get; set; }

    public OutboxRequestState State { get; set; }

    public CoapDeviceFault Fault { get; private set; }

    public string? Why { get; private set; }

    /// <summary>Completes when it is stored, or refused by the store.</summary>
    public Task<CoapWriteOutcome> Written { get; set; } = Task.FromResult(CoapWriteOutcome.Written);

    public bool IsCancelled { get; set; }

    /// <summary>Completes when it was answered or has failed; fails when the slot moved to another node.</summary>
    public TaskCompletionSource Done { get; } = new(TaskCreationOptions.RunContinuationsAsynchronously);

    public CoapSlot Slot => DeviceName.SlotOf(Device);

    public CoapRecordKey RecordKey => RecordKeyOf(Device, Id);

    public int Length => _request.Length;

    /// <summary>The message of the request, in the format of RFC 7252.</summary>
    public ReadOnlyMemory<byte> RequestBytes
    {
        get => _request;
        init => _request = value.ToArray();
    }

    public CoapMessage Request => CoapDatagramSerializer.Default.Deserialize(_request.AsSpan());

    /// <summary>Creates the entry of a new request; null if it is too large.</summary>
    public static OutboxEntry? TryMake(
        Guid id, string device, CoapMessage request, CoapDeviceRequestOptions options, DateTimeOffset now)
    {
        bool isIdempotent = request.Code != CoapCode.Post && request.Code != CoapCode.Patch;
        OutboxEntry entry = new()
        {
            Id = id,
            Device = device,
            Caller = options.Caller,
            Queued = now,
            Expires = now + options.Lifetime,
            IsRepeatable = isIdempotent || options.RepeatWhenInDoubt,
        };
        return request.Payload.Length < MaxState && entry.TrySet(request) && entry.ToBytes().Length <= MaxState ? entry : null;
    }

    public static CoapRecordKey RecordKeyOf(string device, Guid id)
    {
        byte[] key = DeviceName.Encode(device);
        Span<byte> bytes = stackalloc byte[SHA256.HashSizeInBytes + 16];
        SHA256.HashData(key, bytes);
        id.TryWriteBytes(bytes[HashLength..], bigEndian: true, out _);
        return new CoapRecordKey(CoapRecordKind.Outbox, CoapSlot.OfName(key), bytes[..(HashLength + 16)]);
    }

    /// <summary>Copies the request for another attempt to store it; the outcome of the previous one stays with that.</summary>
    public OutboxEntry Copy() => new()
    {
        Id = Id,
        Device = Device,
        Caller = Caller,
        Queued = Queued,
        Expires = Expires,
        IsRepeatable = IsRepeatable,
        _request = _request,
    };

    public CoapQueuedRequest ToPublic()
    {
        CoapMessage request = Request;
        return new CoapQueuedRequest(Id, Device, request.Code, new CoapRequest(request).Path, Caller, Queued, Expires,
            State == OutboxRequestState.Sending);
    }

    /// <summary>Whether it waits without purpose: it was canceled, or its lifetime has ended.</summary>
    public bool IsOver(DateTimeOffset now) => State == OutboxRequestState.Waiting && (IsCancelled || Expires <= now);

    public void Answer(CoapMessage response)
    {
        CoapMessage kept = new(response.Code) { Payload = response.Payload };
        if (response.HasOptions)
        {
            kept.Options.AddAll(response.Options);
        }

        try
        {
            _response = CoapDatagramSerializer.Default.Serialize(kept);
        }
        catch (CoapException)
        {
            _response = [];
        }

        State = OutboxRequestState.Answered;
        if (_response.Length is 0 or > MaxState / 2)
        {
            Fail(CoapDeviceFault.Failed, "the answer of the device is too large to keep. Send the request while the device is awake.");
        }
    }

    public void Fail(CoapDeviceFault fault, string? why = null)
    {
        State = OutboxRequestState.Failed;
        Fault = fault;
        Why = why;
        _response = [];
    }

    /// <summary>Returns the outcome of a request that was answered or has failed.</summary>
    public OutboxOutcome GetOutcome() => new(_response, Fault, Why);

    public byte[] ToBytes()
    {
        using MemoryStream stream = new();
        using BinaryWriter writer = new(stream, Encoding.UTF8);
        writer.Write((byte)State);
        writer.Write((byte)Fault);
        writer.Write(IsRepeatable);
        writer.Write(Id.ToByteArray(bigEndian: true));
        writer.Write(Sequence);
        writer.Write(Queued.ToUnixTimeMilliseconds());
        writer.Write(Expires.ToUnixTimeMilliseconds());
        writer.Write(Device);
        writer.Write(Caller);
        writer.Write(Why ?? "");
        byte[] request = State <= OutboxRequestState.Sending ? _request : WithoutBody();
        writer.Write(request.Length);
        writer.Write(request);
        writer.Write(_response.Length);
        writer.Write(_response);
        writer.Flush();
        return stream.ToArray();
    }

    /// <summary>Reads an entry; null for invalid bytes.</summary>
    public static OutboxEntry? TryRead(ReadOnlySpan<byte> bytes)
    {
        using MemoryStream stream = new(bytes.ToArray());
        using BinaryReader reader = new(stream, Encoding.UTF8);
        try
        {
            OutboxEntry entry = Read(reader);
            return stream.Position == stream.Length ? entry : null;
        }
        catch (Exception exception) when (exception is IOException or ArgumentException or FormatException or CoapException)
        {
            return null;
        }
    }

    private static OutboxEntry Read(BinaryReader reader)
    {
        OutboxRequestState state = (OutboxRequestState)reader.ReadByte();
        CoapDeviceFault fault = (CoapDeviceFault)reader.ReadByte();
        bool isRepeatable = reader.ReadBoolean();
        Guid id = new(reader.ReadBytes(16), bigEndian: true);
        long sequence = reader.ReadInt64();
        DateTimeOffset queued = DateTimeOffset.FromUnixTimeMilliseconds(reader.ReadInt64());
        DateTimeOffset expires = DateTimeOffset.FromUnixTimeMilliseconds(reader.ReadInt64());
        string device = reader.ReadString();
        OutboxEntry entry = new()
        {
            Id = id,
            Device = DeviceName.TryEncode(device) is null ? throw new FormatException() : device,
            Caller = reader.ReadString(),
            Queued = queued,
            Expires = expires,
            IsRepeatable = isRepeatable,
            Sequence = sequence,
            State = state,
            Fault = fault,
            Why = reader.ReadString() is { Length: > 0 } why ? why : null,
        };
        entry._request = reader.ReadBytes(reader.ReadInt32());
        entry._response = reader.ReadBytes(reader.ReadInt32());
        _ = entry.Request;
        return entry;
    }

    private bool TrySet(CoapMessage request)
    {
        try
        {
            _request = CoapDatagramSerializer.Default.Serialize(request);
            return true;
        }
        catch (CoapException)
        {
            return false;
        }
    }

    private byte[] WithoutBody()
    {
        CoapMessage request = Request;
        request.Payload = default;
        return CoapDatagramSerializer.Default.Serialize(request);
    }
}
