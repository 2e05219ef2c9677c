using CoAP.NET.Cluster.Devices;
using CoAP.NET.Cluster.Devices.Outbox;
using CoAP.NET.Cluster.Maps;
using CoAP.NET.Cluster.Observations;
using CoAP.NET.Cluster.Observing;
using CoAP.NET.Cluster.Records;
using CoAP.NET.Cluster.Tables;
using CoAP.NET.Cluster.Tests.Observing;
using CoAP.NET.Dtls.Records;

namespace CoAP.NET.Cluster.Tests.Records;

/// <summary>
/// The bytes of each kind of record in format 1. If one of these tests fails, another version of the library cannot read the record: give
/// the changed bytes a new format (<see cref="RecordFormat.Newest"/>), write them only if that is <see cref="RecordFormat.Written"/>, and
/// keep reading the old ones. The numbers of OSCORE contexts have a test of their own (OscoreRecordStateTests), and so have the states of
/// sessions (CoAP.NET.Dtls.Tests) and requests that run once (OnceSuite).
/// </summary>
[Collection(VirtualTimeCollection.Name)]
public sealed class RecordFormatTests
{
    private static readonly byte[] s_secret = [.. Enumerable.Range(0, 32).Select(i => (byte)i)];
    private static readonly CoapRecordKey s_key = new(CoapRecordKind.Session, new CoapSlot(7), "a"u8);
    private static readonly DateTimeOffset s_time = new(2026, 11, 26, 22, 0, 0, TimeSpan.Zero);
    private static readonly Guid s_id = new("00112233-4455-6677-8899-aabbccddeeff");

    [Fact]
    public void An_encrypted_record_starts_with_an_authenticated_format_byte()
    {
        const string Golden =
            "01" + "000102030405060708090a0b0c0d0e0f" + "101112131415161718191a1b" + "4ea289fca5642f3987970e5a74f139a1" + "c278ee298f";
        using StoreRecordCipher cipher = new([s_secret], new CountingSource());
        byte[] state = cipher.Seal(s_key, "state"u8);

        Assert.Equal(Golden, Hex(state));
        Assert.Equal("state", Encoding.UTF8.GetString(cipher.TryOpen(s_key, Convert.FromHexString(Golden))!));
        using StoreRecordCipher later = new([s_secret], new CountingSource(), format: new RecordFormat(2));
        Assert.NotNull(later.TryOpen(s_key, state));
        state[0] = 2;
        Assert.Null(later.TryOpen(s_key, state));
    }

    [Fact]
    public void The_format_of_a_node_in_the_map_is_fixed()
    {
        using NodeAddressSealer seals = new([s_secret]);
        Assert.Equal("here#1#vav842AEBaDcEsksnOYZpQ", seals.Seal(new CoapClusterNode(new CoapNodeId(s_id), "here")).Address);
    }

    [Fact]
    public void The_format_of_a_device_record_is_fixed()
    {
        const string Golden = "000001a219df6300" + "00112233445566778899aabbccddeeff";
        DeviceRecord record = new(s_time, new CoapNodeId(s_id));

        Assert.Equal(Golden, Hex(record.ToBytes()));
        Assert.Equal(record, DeviceRecord.TryRead(Convert.FromHexString(Golden)));
    }

    [Fact]
    public void The_format_of_a_queued_request_is_fixed()
    {
        const string Common = "00112233445566778899aabbccddeeff" + "0500000000000000" + "0063df19a2010000" + "8051161aa2010000"
            + "056d65746572" + "026d65" + "00";
        const string Golden = "000001" + Common + "0d000000" + "40030000b56c69676874ff6f6e" + "00000000";
        CoapMessage request = new(CoapCode.Put) { Payload = "on"u8.ToArray() };
        request.Options.Add(new UriPathOption("light"));
        OutboxEntry entry = OutboxEntry.TryMake(
            s_id, "meter", request, new CoapDeviceRequestOptions { Caller = "me", Lifetime = FromHours(1) }, s_time)!;
        entry.Sequence = 5;

        Assert.Equal(Golden, Hex(entry.ToBytes()));
        OutboxEntry read = OutboxEntry.TryRead(Convert.FromHexString(Golden))!;
        Assert.Equal(Golden, Hex(read.ToBytes()));
        Assert.Equal(
            (s_id, "meter", "me", s_time, s_time + FromHours(1), true, 5L, OutboxRequestState.Waiting),
            (read.Id, read.Device, read.Caller, read.Queued, read.Expires, read.IsRepeatable, read.Sequence, read.State));
        read.Answer(new CoapMessage(CoapCode.Changed) { Payload = "ok"u8.ToArray() });
        Assert.Equal("020001" + Common + "0a000000" + "40030000b56c69676874" + "07000000" + "40440000ff6f6b", Hex(read.ToBytes()));
        Assert.Equal(CoapCode.Changed, OutboxEntry.TryRead(read.ToBytes())!.GetOutcome().GetResponse(read.Device).Code);
    }

    [Fact]
    public void The_format_of_a_device_observation_is_fixed()
    {
        const string Golden = "01" + "0000004d" + "08df4c089dc0b000" + "0000000023c34600" + "4201000001026055706f776572";
        CoapRecordKey key = ObservationRecord.KeyOf([1, 2, 3], "power")!.Value;
        CoapNotificationPosition heard = new(77, s_time, FromSeconds(60));

        Assert.Equal("01" + "03010203" + "706f776572", Hex([key.Slot.Number, .. key.Bytes.Span]));
        Assert.Equal(Golden, Hex(ObservationRecord.Write(Registration(), heard)));
        Assert.True(ObservationRecord.TryRead(
            new CoapRecord(key, default, Convert.FromHexString(Golden), FromHours(1)), out string? name, out CoapMessage? request,
            out CoapNotificationPosition? read));
        Assert.Equal("power", name);
        Assert.Equivalent(heard, read);
        Assert.Equal(Hex(CoapDatagramSerializer.Default.Serialize(Registration())), Hex(CoapDatagramSerializer.Default.Serialize(request)));
    }

    [Fact]
    public async Task The_format_of_an_observer_record_is_fixed()
    {
        const string Golden = "01" + "0000" + "4201000000076057646576696365730131";
        await using ObserverWorld world = new();
        await world.StartAsync();

        Assert.Equal(Golden, Hex(ObserverRecord.Write(world.Observer(1, 7), CoapDatagramSerializer.Default)));
        Assert.True(ObserverRecord.TryRead(Convert.FromHexString(Golden), CoapDatagramSerializer.Default, out CoapMessage? request,
            out CoapContentFormat? format));
        Assert.Equal((CoapCode.Get, CoapContentFormat.TextPlain), (request.Code, format));
        Assert.Equal("0173" + "02" + "0909" + "00" + "0102",
            Hex(ObserverRecord.TryMakeKey([1, (byte)'s'], [9, 9], new CoapToken([1, 2]))!));
    }

    [Fact]
    public void The_format_of_the_first_notification_number_is_fixed()
    {
        const string Golden = "08df4c089dc0b000";
        Assert.Equal(Golden, Hex(FirstNotificationNumber.StateOf(s_time)));
        Assert.Equal(s_time, FirstNotificationNumber.TryRead(Convert.FromHexString(Golden)));
        Assert.Null(FirstNotificationNumber.TryRead([.. Convert.FromHexString(Golden), 0]));
        Assert.Null(FirstNotificationNumber.TryRead([0xff, 0, 0, 0, 0, 0, 0, 0]));
    }

    [Fact]
    public void The_format_of_a_table_entry_is_fixed()
    {
        const string Golden = "000576616c7565";
        CoapRecordKey key = new(CoapRecordKind.Application, new CoapSlot(1), "key"u8);

        Assert.Equal(Golden, Hex(TableRecord.StateOf(5, "value"u8)));
        TableRecord read = TableRecord.TryRead(new CoapRecord(key, default, Convert.FromHexString(Golden), FromHours(1)))!.Value;
        Assert.Equal(("key", "value", (ushort)5),
            (Encoding.UTF8.GetString(read.Key), Encoding.UTF8.GetString(read.Value), read.Version));
    }

    [Fact]
    public void The_format_of_a_session_progress_is_fixed()
    {
        const string Golden = "0000000000000001" + "0000000000000002" + "0000000000000003";
        Assert.Equal(Golden, Hex(new SessionRecordNumbers(1, 2, 3).ToBytes()));
        Assert.Equal(new SessionRecordNumbers(1, 2, 3), SessionRecordNumbers.Parse(Convert.FromHexString(Golden)));
    }

    private static CoapMessage Registration()
    {
        CoapMessage request = new(CoapCode.Get) { Token = new CoapToken([1, 2]) };
        request.Options.Add(new ObserveOption(0));
        request.Options.Add(new UriPathOption("power"));
        return request;
    }

    private static string Hex(ReadOnlySpan<byte> bytes) => Convert.ToHexStringLower(bytes);

    private sealed class CountingSource : CoapRandomSource
    {
        private byte _next;

        public override void Fill(Span<byte> destination)
        {
            foreach (ref byte one in destination)
            {
                one = _next++;
            }
        }
    }
}
