namespace CoAP.NET.Transports.Tcp;

/// <summary>
/// Tracks the position of a byte stream in the records of TLS (RFC 8446 section 5.1): each begins with a type, a version and a length of
/// two bytes.
/// </summary>
internal struct TlsRecordTracker
{
    private const int HeaderSize = 5;
    private const int LengthAt = 3;

    private int _left;
    private int _length;

    /// <summary>The received bytes of the incomplete record; 0 between two records.</summary>
    public int Received { get; private set; }

    /// <summary>Processes received bytes.</summary>
    public void Follow(ReadOnlySpan<byte> bytes)
    {
        while (!bytes.IsEmpty)
        {
            if (Received < HeaderSize)
            {
                _length = Received < LengthAt ? 0 : (_length << 8) | bytes[0];
                Received++;
                bytes = bytes[1..];
                if (Received < HeaderSize)
                {
                    continue;
                }

                _left = _length;
            }

            int count = Math.Min(_left, bytes.Length);
            _left -= count;
            Received = _left == 0 ? 0 : Received + count;
            bytes = bytes[count..];
        }
    }
}
