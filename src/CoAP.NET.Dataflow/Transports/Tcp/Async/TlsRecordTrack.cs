namespace CoAP.NET.Transports;

/// <summary>
/// Where in the records of TLS a stream of bytes is (RFC 8446 section 5.1): each has a type, a version and a length of two bytes before it.
/// </summary>
internal struct TlsRecordTrack
{
    private const int HeaderSize = 5;
    private const int LengthAt = 3;

    private int _left;
    private int _length;

    /// <summary>How many bytes came of the record that is not there whole; 0 between two records.</summary>
    public int Received { get; private set; }

    /// <summary>Bytes came.</summary>
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
