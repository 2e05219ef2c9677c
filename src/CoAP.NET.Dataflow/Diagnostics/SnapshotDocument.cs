using System.Buffers;
using System.Globalization;
using System.Text.Json;
using CoAP.NET.Content;

namespace CoAP.NET;

/// <summary>Writes a snapshot as a document of nested maps and lists, with durations in seconds, in JSON or CBOR.</summary>
internal static class SnapshotDocument
{
    public static byte[] ToJson(CoapSnapshot snapshot)
    {
        ArrayBufferWriter<byte> output = new();
        using (Utf8JsonWriter writer = new(output))
        {
            Write(writer, Of(snapshot));
        }

        return output.WrittenSpan.ToArray();
    }

    public static byte[] ToCbor(CoapSnapshot snapshot)
    {
        ArrayBufferWriter<byte> output = new();
        Write(output, Of(snapshot));
        return output.WrittenSpan.ToArray();
    }

    private static (string, object?)[] Of(CoapSnapshot snapshot) =>
    [
        ("time", Text(snapshot.Time)),
        ("name", snapshot.Name),
        ("listening", snapshot.LocalEndpoints.ToArray<object?>()),
        ("activeRequests", (long)snapshot.ActiveRequests),
        ("observers", (long)snapshot.Observers),
        ("observations", (long)snapshot.Observations),
        ("connections", (long)snapshot.Connections),
        ("counters", snapshot.Counters.OrderBy(static counter => counter.Key)
            .Select(static counter => (counter.Key.ToString(), (object?)counter.Value)).ToArray()),
        ("shards", snapshot.Shards.Select(static shard => (object?)Of(shard)).ToArray()),
        ("peers", snapshot.Peers.Select(static peer => (object?)Of(peer)).ToArray()),
        ("truncated", snapshot.IsTruncated),
    ];

    private static (string, object?)[] Of(CoapShardSnapshot shard) =>
    [
        ("index", (long)shard.Index),
        ("peers", (long)shard.Peers),
        ("outstanding", (long)shard.Outstanding),
        ("queued", (long)shard.Queued),
        ("transfers", (long)shard.Transfers),
        ("observers", (long)shard.Observers),
    ];

    private static (string, object?)[] Of(CoapPeerSnapshot peer) =>
    [
        ("peer", peer.ToString()),
        ("local", peer.LocalAddress.ToString()),
        ("shard", (long)peer.Shard),
        ("identity", peer.HasIdentity),
        ("verified", peer.IsVerified),
        ("newcomer", peer.IsNewcomer),
        ("lastSeen", peer.LastSeen is { } seen ? Text(seen) : null),
        ("runningRequests", (long)peer.RunningRequests),
        ("outstanding", (long)peer.Outstanding),
        ("queued", (long)peer.Queued),
        ("awaitedResponses", (long)peer.AwaitedResponses),
        ("pending", peer.Pending.Select(static pending => (object?)Of(pending)).ToArray()),
        ("observers", (long)peer.Observers),
        ("observations", (long)peer.Observations),
        ("transfers", (long)peer.Transfers),
        ("rtt", peer.RoundTripTime?.TotalSeconds),
        ("rto", peer.RetransmissionTimeout.TotalSeconds),
        ("lastDrop", peer.LastDrop is { } drop
            ? new (string, object?)[] { ("reason", drop.Reason.ToString()), ("time", Text(drop.Time)), ("count", (long)drop.Count) }
            : null),
    ];

    private static (string, object?)[] Of(CoapPendingSnapshot pending) =>
    [
        ("state", pending.State.ToString()),
        ("code", pending.Code.ToString()),
        ("token", pending.Token.ToString()),
        ("messageId", pending.MessageId is { } id ? (long)id : null),
        ("attempts", (long)pending.Attempts),
        ("nextAttempt", pending.NextAttempt?.TotalSeconds),
    ];

    private static string Text(DateTimeOffset time) => time.ToString("O", CultureInfo.InvariantCulture);

    private static void Write(Utf8JsonWriter writer, object? value)
    {
        switch (value)
        {
            case (string, object?)[] map:
                writer.WriteStartObject();
                foreach ((string name, object? item) in map)
                {
                    writer.WritePropertyName(name);
                    Write(writer, item);
                }

                writer.WriteEndObject();
                break;
            case object?[] list:
                writer.WriteStartArray();
                foreach (object? item in list)
                {
                    Write(writer, item);
                }

                writer.WriteEndArray();
                break;
            case string text:
                writer.WriteStringValue(text);
                break;
            case long number:
                writer.WriteNumberValue(number);
                break;
            case double number:
                writer.WriteNumberValue(number);
                break;
            case bool flag:
                writer.WriteBooleanValue(flag);
                break;
            default:
                writer.WriteNullValue();
                break;
        }
    }

    private static void Write(ArrayBufferWriter<byte> cbor, object? value)
    {
        switch (value)
        {
            case (string, object?)[] map:
                cbor.WriteHead(CborBytes.Map, (ulong)map.Length);
                foreach ((string name, object? item) in map)
                {
                    cbor.WriteText(name);
                    Write(cbor, item);
                }

                break;
            case object?[] list:
                cbor.WriteHead(CborBytes.Array, (ulong)list.Length);
                foreach (object? item in list)
                {
                    Write(cbor, item);
                }

                break;
            case string text:
                cbor.WriteText(text);
                break;
            case long number:
                cbor.WriteInt(number);
                break;
            case double number:
                cbor.WriteDouble(number);
                break;
            case bool flag:
                cbor.WriteHead(CborBytes.Simple, flag ? CborBytes.True : CborBytes.False);
                break;
            default:
                cbor.WriteHead(CborBytes.Simple, CborBytes.Null);
                break;
        }
    }
}
