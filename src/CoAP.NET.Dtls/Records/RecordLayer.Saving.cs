using CoAP.NET.Dtls.Sessions;

namespace CoAP.NET.Dtls.Records;

/// <content>To be saved, and loaded by another process.</content>
internal sealed partial class RecordLayer
{
    /// <summary>
    /// How many records may still be sent after a session was saved, or until it is saved again. Whoever loads it begins so much later, so
    /// that no number, and no nonce with it, is used twice.
    /// </summary>
    public const ulong SavedMargin = 1UL << 20;

    /// <summary>Writes all of it, with its keys.</summary>
    /// <param name="writer">Takes it.</param>
    /// <returns>False when too few numbers are left.</returns>
    public bool TrySave(StateWriter writer)
    {
        if (_nextSequence + (2 * SavedMargin) >= _suite.MaxRecords)
        {
            return false;
        }

        _end = _nextSequence + SavedMargin;
        writer.WriteNumber(_suite.Id);
        writer.WriteFlag(_isServer);
        writer.WriteBytes(_keys);
        writer.WriteBytes(OwnCid);
        writer.WriteBytes(PeerCid);
        writer.WriteNumber((long)_window.Next);
        writer.WriteNumber((long)_end);
        writer.WriteNumber(Forgeries);
        return true;
    }

    /// <summary>Reads what was saved. Records as old as the newest that had come are refused, as nobody knows which of them had.</summary>
    /// <param name="reader">Where from.</param>
    /// <returns>The records.</returns>
    /// <exception cref="InvalidDataException">This was not saved by <see cref="TrySave"/>.</exception>
    public static RecordLayer Load(ref StateReader reader)
    {
        CipherSuite? suite = CipherSuite.Find((int)reader.ReadNumber());
        bool isServer = reader.ReadFlag();
        ReadOnlySpan<byte> saved = reader.ReadBytes();
        byte[] ownCid = reader.ReadBytes().ToArray();
        byte[] peerCid = reader.ReadBytes().ToArray();
        ulong received = (ulong)reader.ReadNumber();
        ulong sent = (ulong)reader.ReadNumber();
        long forgeries = reader.ReadNumber();
        if (suite is null || saved.Length != KeyBlock.Length || ownCid.Length > MaxCidLength || peerCid.Length > MaxCidLength
            || received > SequenceEnd || sent >= SequenceEnd)
        {
            throw new InvalidDataException("The saved sessions are of another version.");
        }

        KeyBlock keys = default;
        saved.CopyTo(keys);
        RecordLayer records = new(suite, keys, isServer, ownCid, peerCid)
        {
            _window = ReplayWindow.From(received),
            _nextSequence = sent,
            _forgeries = (int)Math.Clamp(forgeries, 0, int.MaxValue)
        };
        keys.Clear();
        return records;
    }
}
