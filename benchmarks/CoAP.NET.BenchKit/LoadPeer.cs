namespace CoAP.NET.Bench;

/// <summary>One client of a load.</summary>
/// <param name="index">Its number in its loop.</param>
/// <param name="address">Its number among all of the program, by which it has its source address.</param>
internal sealed class LoadPeer(int index, int address)
{
    public int Index { get; } = index;

    public int Address { get; } = address;

    /// <summary>The descriptor of its connection; -1 while it has none.</summary>
    public int Socket { get; set; } = -1;

    public bool IsOpen => Socket >= 0;

    /// <summary>How many connections it has had.</summary>
    public int Connections { get; set; }

    /// <summary>Whether the server's CSM came.</summary>
    public bool HasCsm { get; set; }

    /// <summary>Whether it does not read.</summary>
    public bool IsStalled { get; set; }

    /// <summary>When its last request left, as a time stamp.</summary>
    public long SentAt { get; set; }

    /// <summary>What came, of interest to the loop.</summary>
    public int Count { get; set; }

    /// <summary>What could not be sent yet.</summary>
    public ReadOnlyMemory<byte> Unsent { get; set; }

    public bool IsWatchedForRoom { get; set; }

    /// <summary>The beginning of a frame.</summary>
    public byte[] Rest { get; private set; } = [];

    public int RestLength { get; set; }

    public void Keep(ReadOnlySpan<byte> rest)
    {
        if (rest.Length > Rest.Length)
        {
            Rest = new byte[rest.Length];
        }

        rest.CopyTo(Rest);
        RestLength = rest.Length;
    }
}
