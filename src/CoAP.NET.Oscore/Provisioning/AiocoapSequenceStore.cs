using System.Buffers;
using System.Globalization;
using System.Numerics;
using System.Text;
using System.Text.Json;
using CoAP.NET.Files;
using CoAP.NET.Oscore.Sequences;

namespace CoAP.NET.Oscore.Provisioning;

/// <summary>
/// Keeps the numbers of a context in the <c>sequence.json</c> of its directory, as aiocoap does, and holds aiocoap's lock: one program at a
/// time, and each continues where the other one ended.
/// </summary>
internal sealed class AiocoapSequenceStore : IOscoreStore, IDisposable
{
    private const int MaxLength = 65_536;

    private readonly Lock _gate = new();
    private readonly string _file;
    private readonly OscoreStoreKey _key;
    private readonly int _windowSize;
    private readonly DirectoryLock _lock;
    private readonly CoapThreadScheduler _scheduler;

    // The lock excludes other processes, so epochs need not outlive this one.
    private ulong _epoch;

    private AiocoapSequenceStore(string directory, OscoreStoreKey key, int windowSize, CoapThreadScheduler scheduler)
    {
        _file = Path.Combine(directory, "sequence.json");
        _key = key;
        _windowSize = windowSize;
        _scheduler = scheduler;
        _lock = DirectoryLock.Take(directory);
    }

    /// <summary>Locks a directory.</summary>
    /// <param name="directory">The directory.</param>
    /// <param name="key">Its context.</param>
    /// <param name="windowSize">The size of its replay window.</param>
    /// <param name="scheduler">Runs the disk operations; null for the library's scheduler.</param>
    /// <exception cref="OscoreStoreException">Another process has it.</exception>
    public static AiocoapSequenceStore Open(string directory, OscoreStoreKey key, int windowSize, CoapThreadScheduler? scheduler) =>
        new(Path.GetFullPath(directory), key, windowSize, scheduler ?? CoapThreadScheduler.Default);

    /// <inheritdoc/>
    public ValueTask<OscoreStoredState> OpenAsync(OscoreStoreKey key, CancellationToken cancellationToken) => new(RunAsync(
        key,
        () =>
        {
            (ulong Next, OscoreReceivedNumbers? Received)? last = Read();
            ulong next = last?.Next ?? 0;
            Write(next, null);
            return new OscoreStoredState(++_epoch, next, last is null, last?.Received);
        },
        cancellationToken));

    /// <inheritdoc/>
    public ValueTask ReserveAsync(OscoreStoreKey key, ulong epoch, ulong bound, CancellationToken cancellationToken) => new(RunAsync(
        key,
        () =>
        {
            OscoreStoreGuard.CheckBound(OfEpoch(epoch), bound);
            Write(bound, null);
            return true;
        },
        cancellationToken));

    /// <inheritdoc/>
    public ValueTask CloseAsync(OscoreStoreKey key, ulong epoch, OscoreReceivedNumbers received, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(received);
        return new ValueTask(RunAsync(
            key,
            () =>
            {
                Write(OfEpoch(epoch), received);
                _epoch++;
                return true;
            },
            cancellationToken));
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        lock (_gate)
        {
            _lock.Dispose();
        }
    }

    /// <summary>Parses the bytes of a file.</summary>
    /// <param name="json">The bytes, not yet validated.</param>
    /// <returns>The state; null if the bytes are not valid.</returns>
    internal static (ulong Next, OscoreReceivedNumbers? Received)? Parse(ReadOnlySpan<byte> json)
    {
        try
        {
            Utf8JsonReader reader = new(json, new JsonReaderOptions { MaxDepth = 4 });
            using JsonDocument document = JsonDocument.ParseValue(ref reader);
            JsonElement root = document.RootElement;
            ulong next = root.GetProperty("next-to-send"u8).GetUInt64();
            JsonElement received = root.GetProperty("received"u8);
            bool isUnknown = received.ValueKind == JsonValueKind.String && received.ValueEquals("unknown"u8);
            return next > OscoreSequence.End || reader.Read() ? null
                : (next, isUnknown ? null
                    : FromWindow(received.GetProperty("index"u8).GetUInt64(), received.GetProperty("bitfield"u8).GetRawText()));
        }
        catch (Exception exception)
            when (exception is JsonException or FormatException or ArgumentException or InvalidOperationException or KeyNotFoundException)
        {
            return null;
        }
    }

    // Received are the numbers below the index, and those above it whose bit is set, the lowest one first.
    private static OscoreReceivedNumbers FromWindow(ulong index, string bitfield)
    {
        BigInteger bits = BigInteger.Parse(bitfield, NumberStyles.None, CultureInfo.InvariantCulture);
        long length = bits.GetBitLength();
        ArgumentOutOfRangeException.ThrowIfGreaterThan(length, OscoreParameters.MaxWindowSize);
        byte[] seen = new byte[(length + 7) / 8];
        for (int age = 0; age < seen.Length * 8; age++)
        {
            long bit = length - 1 - age;
            if (bit < 0 || !((bits >> (int)bit) & 1).IsZero)
            {
                seen[age / 8] |= (byte)(1 << (age % 8));
            }
        }

        return new OscoreReceivedNumbers(index + (ulong)length, seen);
    }

    private ulong OfEpoch(ulong epoch) => epoch != _epoch ? throw OscoreStoreGuard.Superseded()
        : Read()?.Next ?? throw new OscoreStoreException(OscoreStoreFault.Corrupt,
            $"{_file} no longer exists: another user or program removed it while its security context was in use. The used numbers are "
            + "unknown; give both ends a new secret.");

    private (ulong Next, OscoreReceivedNumbers? Received)? Read()
    {
        byte[] bytes = new byte[MaxLength + 1];
        int length;
        try
        {
            length = RegularFile.ReadStart(_file, bytes);
        }
        catch (FileNotFoundException)
        {
            return null;
        }

        return Parse(bytes.AsSpan(0, length)) ?? throw new OscoreStoreException(OscoreStoreFault.Corrupt,
            $"{_file} does not hold the sequence numbers of a security context in the format of aiocoap: it was truncated or changed. "
            + "Beginning at 0 would use numbers twice, so the endpoint sends nothing. Give both ends a new secret and remove the "
            + "file.");
    }

    private void Write(ulong next, OscoreReceivedNumbers? received)
    {
        ArrayBufferWriter<byte> buffer = new();
        using (Utf8JsonWriter writer = new(buffer))
        {
            writer.WriteStartObject();
            writer.WriteNumber("next-to-send"u8, next);
            if (received is null)
            {
                writer.WriteString("received"u8, "unknown"u8);
            }
            else
            {
                ulong index = received.Next - Math.Min(received.Next, (ulong)_windowSize);
                BigInteger bits = 0;
                for (ulong number = index; number < received.Next; number++)
                {
                    bits |= received.Contains(number) ? BigInteger.One << (int)(number - index) : 0;
                }

                writer.WriteStartObject("received"u8);
                writer.WriteNumber("index"u8, index);
                writer.WritePropertyName("bitfield"u8);
                writer.WriteRawValue(Encoding.ASCII.GetBytes(bits.ToString(CultureInfo.InvariantCulture)));
                writer.WriteEndObject();
            }

            writer.WriteEndObject();
        }

        DurableFile.Write(_file, buffer.WrittenSpan);
    }

    private Task<T> RunAsync<T>(OscoreStoreKey key, Func<T> work, CancellationToken cancellationToken) => key != _key
        ? throw new ArgumentException($"{_file} belongs to another security context.", nameof(key))
        : DiskOperationRunner.RunAsync(
            _scheduler,
            _gate,
            _file,
            () =>
            {
                _lock.ThrowIfReleased();
                return work();
            },
            cancellationToken);
}
