using System.Collections;
using System.Diagnostics.CodeAnalysis;
using CoAP.NET.Content.Cbor;
using CoAP.NET.Content.Senml;

namespace CoAP.NET;

/// <summary>A SenML Pack: records of measurements or settings, in JSON (Content-Format 110) or CBOR (112) (RFC 8428). Immutable.</summary>
/// <remarks>The records keep their base fields; <see cref="Resolve"/> applies them. They follow the rules of RFC 8428 section 4.</remarks>
[SuppressMessage("Naming", "CA1710:Identifiers should have correct suffix", Justification = "Pack is the word of RFC 8428.")]
public sealed class CoapSenmlPack : IReadOnlyList<CoapSenmlRecord>
{
    /// <summary>The default maximum number of parsed records.</summary>
    internal const int DefaultMaxRecords = 10_000;

    private readonly CoapSenmlRecord[] _records;

    /// <summary>Creates a pack.</summary>
    /// <param name="records">The records, at least one.</param>
    /// <exception cref="ArgumentException">
    /// There is no record, or one violates a rule of RFC 8428 section 4, for example the rule that it has exactly one value.
    /// </exception>
    public CoapSenmlPack(params IEnumerable<CoapSenmlRecord> records)
        : this(CoapSenmlProfile.Rfc8428, records)
    {
    }

    /// <summary>Creates a pack by the rules of a profile.</summary>
    /// <param name="profile">The rules.</param>
    /// <param name="records">The records, at least one.</param>
    /// <exception cref="ArgumentException">There is no record, or one violates a rule of the profile.</exception>
    public CoapSenmlPack(CoapSenmlProfile profile, params IEnumerable<CoapSenmlRecord> records)
    {
        ArgumentNullException.ThrowIfNull(records);
        Profile = profile;
        _records = [.. records];
        SenmlState state = new(profile);
        for (int i = 0; i < _records.Length; i++)
        {
            if ((_records[i] is null ? "there is none" : state.Enter(_records[i])) is { } wrong)
            {
                throw new ArgumentException($"Record {i}: {wrong}.", nameof(records));
            }
        }

        if (_records.Length == 0)
        {
            throw new ArgumentException("A SenML Pack needs at least one record (RFC 8428 section 3).", nameof(records));
        }
    }

    private CoapSenmlPack(CoapSenmlRecord[] records, CoapSenmlProfile profile)
    {
        _records = records;
        Profile = profile;
    }

    /// <summary>The rules of the records. Default: those of RFC 8428.</summary>
    public CoapSenmlProfile Profile { get; }

    /// <summary>The number of records.</summary>
    public int Count => _records.Length;

    /// <summary>Gets a record by index.</summary>
    /// <param name="index">The index, 0 to <see cref="Count"/> - 1.</param>
    public CoapSenmlRecord this[int index] => _records[index];

    /// <summary>Parses a pack.</summary>
    /// <param name="payload">The payload.</param>
    /// <param name="format"><see cref="CoapContentFormat.SenmlJson"/> or <see cref="CoapContentFormat.SenmlCbor"/>.</param>
    /// <param name="maxRecords">The maximum number of records. More records are an error.</param>
    /// <param name="profile">The rules of the records. Default: those of RFC 8428.</param>
    /// <returns>The pack.</returns>
    /// <exception cref="CoapFormatException">The payload is not a SenML Pack.</exception>
    /// <exception cref="ArgumentException">The format is not one of these.</exception>
    public static CoapSenmlPack Parse(ReadOnlySpan<byte> payload, CoapContentFormat format, int maxRecords = DefaultMaxRecords,
        CoapSenmlProfile profile = default) =>
            TryParse(payload, format, out CoapSenmlPack? pack, out CoapContentSyntaxError error, maxRecords, profile)
                ? pack
                : throw NotSenml(error);

    internal static CoapFormatException NotSenml(CoapContentSyntaxError error) =>
        new($"The payload is not a SenML Pack: {error.Message} (offset {error.Offset}).", error.Offset);

    /// <summary>Parses a pack.</summary>
    /// <remarks>Unknown fields are ignored, unless their label ends in an underscore, which is an error (RFC 8428 section 4.4).</remarks>
    /// <param name="payload">The payload.</param>
    /// <param name="format"><see cref="CoapContentFormat.SenmlJson"/> or <see cref="CoapContentFormat.SenmlCbor"/>.</param>
    /// <param name="pack">The pack.</param>
    /// <param name="error">The error.</param>
    /// <param name="maxRecords">The maximum number of records. More records are an error.</param>
    /// <param name="profile">The rules of the records. Default: those of RFC 8428.</param>
    /// <returns>True if the payload is a valid pack.</returns>
    /// <exception cref="ArgumentException">The format is not one of these.</exception>
    public static bool TryParse(
        ReadOnlySpan<byte> payload,
        CoapContentFormat format,
        [NotNullWhen(true)] out CoapSenmlPack? pack,
        out CoapContentSyntaxError error,
        int maxRecords = DefaultMaxRecords,
        CoapSenmlProfile profile = default)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(maxRecords);
        bool isRead = IsCbor(format)
            ? SenmlCbor.TryRead(payload, maxRecords, profile, out List<CoapSenmlRecord> records, out ContentFault fault)
            : SenmlJson.TryRead(payload, maxRecords, profile, out records, out fault);
        pack = isRead ? new CoapSenmlPack([.. records], profile) : null;
        error = isRead ? default : new CoapContentSyntaxError(fault.Offset, fault.Message);
        return isRead;
    }

    /// <summary>Encodes the pack.</summary>
    /// <param name="format"><see cref="CoapContentFormat.SenmlJson"/> or <see cref="CoapContentFormat.SenmlCbor"/>.</param>
    /// <returns>The bytes; always the same for equal records.</returns>
    /// <exception cref="ArgumentException">The format is not one of these.</exception>
    public byte[] ToBytes(CoapContentFormat format) => IsCbor(format) ? SenmlCbor.Write(_records) : SenmlJson.Write(_records);

    /// <summary>
    /// Returns the same measurements without base fields and with absolute times, ordered by time (RFC 8428 section 4.6).
    /// </summary>
    /// <remarks>
    /// A base value is added to numbers only; a base sum applies to each record. A record with base fields only is not a measurement and is
    /// left out.
    /// </remarks>
    /// <param name="now">The base of relative times: the time of reception, or the best estimate of the sending time.</param>
    /// <returns>The resolved pack.</returns>
    public CoapSenmlPack Resolve(DateTimeOffset now)
    {
        double seconds = (now - DateTimeOffset.UnixEpoch).Ticks / (double)TimeSpan.TicksPerSecond;
        SenmlState state = new(Profile);
        List<CoapSenmlRecord> resolved = new(_records.Length);
        foreach (CoapSenmlRecord record in _records)
        {
            state.Enter(record);
            if (!SenmlState.HasBaseFieldsOnly(record))
            {
                resolved.Add(state.Resolve(record, seconds));
            }
        }

        // A stable sort: records with equal times keep their order.
        return new CoapSenmlPack([.. resolved.OrderBy(record => record.Time)], Profile);
    }

    /// <summary>Enumerates the records in order.</summary>
    /// <returns>The enumerator.</returns>
    public IEnumerator<CoapSenmlRecord> GetEnumerator() => ((IEnumerable<CoapSenmlRecord>)_records).GetEnumerator();

    /// <inheritdoc/>
    IEnumerator IEnumerable.GetEnumerator() => GetEnumerator();

    /// <summary>Formats the records for diagnostics, one after another.</summary>
    /// <returns>The text.</returns>
    public override string ToString() => string.Join(", ", (IEnumerable<CoapSenmlRecord>)_records);

    private static bool IsCbor(CoapContentFormat format)
    {
        bool isCbor = format == CoapContentFormat.SenmlCbor;
        return isCbor || format == CoapContentFormat.SenmlJson
            ? isCbor
            : throw new ArgumentException(
                $"A SenML Pack is read and written as {CoapContentFormat.SenmlJson} or {CoapContentFormat.SenmlCbor}, not as {format}.",
                nameof(format));
    }
}
