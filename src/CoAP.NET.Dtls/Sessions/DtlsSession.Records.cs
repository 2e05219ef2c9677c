using System.Buffers;
using CoAP.NET.Dtls.Records;

namespace CoAP.NET.Dtls.Sessions;

/// <content>Records in and out, and the end.</content>
internal sealed partial class DtlsSession
{
    private const int StackBytes = 1_536;

    // With a Connection ID of any length.
    private const int AlertBytes = 320;
    private const byte WarningLevel = 1;
    private const byte CloseNotify = 0;
    private const byte NoRenegotiation = 100;
    private const byte HelloRequest = 0;
    private const byte ClientHello = 1;
    private const byte Finished = 20;

    /// <summary>Sends a message.</summary>
    /// <param name="content">The message.</param>
    /// <returns>Whether it was sent; false once the session has ended.</returns>
    public bool Send(ReadOnlySpan<byte> content)
    {
        byte[]? rented = null;
        int length;
        DtlsPath path;
        Span<byte> record = stackalloc byte[StackBytes];
        lock (_records)
        {
            if (_isClosed)
            {
                return false;
            }

            path = _path;
            length = _records.RecordLength(content.Length);
            if (length > StackBytes)
            {
                record = rented = ArrayPool<byte>.Shared.Rent(length);
            }

            // The last numbers, and what the keys may still encrypt, are for saying that it ends.
            length = _records.IsAlmostUsedUp ? 0 : _records.Seal(ContentType.ApplicationData, content, record);
        }

        if (length > 0)
        {
            _home.Sink.Send(path, record[..length]);
        }

        if (rented is not null)
        {
            ArrayPool<byte>.Shared.Return(rented);
        }

        if (length > 0)
        {
            return true;
        }

        End(DtlsEnd.Exhausted, tells: true);
        return false;
    }

    /// <summary>Takes a record of the peer.</summary>
    /// <param name="header">Its header.</param>
    /// <param name="record">The whole record; opened in place.</param>
    /// <param name="path">How it came.</param>
    /// <returns>What became of it.</returns>
    public OpenResult Receive(in RecordHeader header, Span<byte> record, in DtlsPath path)
    {
        OpenResult result;
        ContentType type;
        Range content;
        DtlsPath before;
        bool moves;
        bool isBeyond;
        lock (_records)
        {
            if (_isClosed)
            {
                return OpenResult.Foreign;
            }

            result = _records.Open(header, record, out type, out content, out bool isNewest);
            before = _path;
            moves = result == OpenResult.Opened && isNewest && path != before;
            isBeyond = result == OpenResult.Forged && _records.Forgeries > Math.Min(_home.MaxForgeries, Suite.MaxForgeries);
            if (result == OpenResult.Opened)
            {
                Volatile.Write(ref _lastReceived, _home.Time.GetTimestamp());
                if (moves)
                {
                    _path = path;
                }
            }
        }

        if (isBeyond)
        {
            End(DtlsEnd.Exhausted, tells: true);
        }

        if (result != OpenResult.Opened)
        {
            return result;
        }

        if (moves)
        {
            _home.OnMoved(this, before, path);
            if (path.Remote != before.Remote)
            {
                _home.Sink.Moved(this, before);
            }
        }

        OnContent(type, record[content], path);
        return result;
    }

    /// <summary>The last record that was counted as forged is of another session over the same path.</summary>
    public void Forgive()
    {
        lock (_records)
        {
            _records.Forgive();
        }
    }

    /// <summary>Leaves numbers of outgoing records out.</summary>
    /// <param name="sequence">The first that may be used.</param>
    /// <exception cref="ArgumentOutOfRangeException">Numbers from there on were used already.</exception>
    public void SkipTo(ulong sequence)
    {
        lock (_records)
        {
            _records.SkipTo(sequence);
        }
    }

    /// <summary>Ends it.</summary>
    /// <param name="reason">Why.</param>
    /// <param name="tells">Whether the peer is told (close_notify, RFC 5246 section 7.2.1).</param>
    /// <returns>Whether it had not ended before.</returns>
    public bool End(DtlsEnd reason, bool tells)
    {
        Span<byte> alert = stackalloc byte[AlertBytes];
        int length = 0;
        DtlsPath path;
        lock (_records)
        {
            if (_isClosed)
            {
                return false;
            }

            path = _path;
            if (tells)
            {
                length = _records.Seal(ContentType.Alert, [WarningLevel, CloseNotify], alert);
            }

            Volatile.Write(ref _isClosed, true);
            _records.Clear();
            _lastFlight = null;
        }

        _home.OnEnded(this, reason);
        if (length > 0)
        {
            _home.Sink.Send(path, alert[..length]);
        }

        _home.Sink.Closed(this, reason);
        return true;
    }

    private void OnContent(ContentType type, ReadOnlySpan<byte> content, in DtlsPath path)
    {
        switch (type)
        {
            // An empty one only hides how much is said (RFC 5246 section 6.2.1).
            case ContentType.ApplicationData when content.Length > 0:
                _home.Sink.Received(this, path, content);
                break;
            case ContentType.Handshake when content.Length > 0 && content[0] == Finished:
                // The peer says its Finished again, so it has not heard ours.
                SendLastFlight();
                break;
            case ContentType.Handshake when content.Length > 0 && content[0] is (HelloRequest or ClientHello):
                RefuseRenegotiation();
                break;
            case ContentType.Alert when content.Length == 2 && content[1] == CloseNotify:
                End(DtlsEnd.ClosedByPeer, tells: true);
                break;
            case ContentType.Alert when content.Length == 2 && content[0] != WarningLevel:
                End(DtlsEnd.FailedByPeer, tells: false);
                break;
            default:
                break;
        }
    }

    // Renegotiation is never begun, and refused (RFC 5746 section 4, RFC 7925 section 17).
    private void RefuseRenegotiation()
    {
        Span<byte> alert = stackalloc byte[AlertBytes];
        int length;
        DtlsPath path;
        lock (_records)
        {
            if (_isClosed || _records.IsAlmostUsedUp)
            {
                return;
            }

            path = _path;
            length = _records.Seal(ContentType.Alert, [WarningLevel, NoRenegotiation], alert);
        }

        _home.Sink.Send(path, alert[..length]);
    }

    private void SendLastFlight()
    {
        if (TryDropLastFlight())
        {
            return;
        }

        DtlsPath path;
        byte[] datagram;
        lock (_records)
        {
            if (_isClosed || _records.IsAlmostUsedUp || _lastFlight is not { } flight)
            {
                return;
            }

            path = _path;
            datagram = Make(flight);
        }

        _home.Sink.Send(path, datagram);
    }

    private byte[] Make(LastFlight flight)
    {
        RecordHeader change = new(ContentType.ChangeCipherSpec, 0, flight.NextPlainSequence++, 0, 1);
        byte[] datagram = new byte[RecordHeader.Size + 1 + _records.RecordLength(flight.Bytes.Length)];
        change.Write(datagram, []);
        datagram[RecordHeader.Size] = 1;
        _ = _records.Seal(ContentType.Handshake, flight.Bytes, datagram.AsSpan(RecordHeader.Size + 1));
        return datagram;
    }
}
