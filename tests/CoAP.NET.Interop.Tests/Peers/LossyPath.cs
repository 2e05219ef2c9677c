namespace CoAP.NET.Interop.Tests.Peers;

/// <summary>What becomes of the datagrams of one direction.</summary>
/// <param name="loseEvery">Each so-many-eth is lost; 0 for none.</param>
/// <param name="doubleEvery">Each so-many-eth of the others is sent on twice; 0 for none.</param>
/// <param name="firstLost">The number of the first one that is lost; 0 for <paramref name="loseEvery"/>.</param>
internal sealed class LossyPath(int loseEvery, int doubleEvery, int firstLost = 0)
{
    private int _count = firstLost > 0 ? loseEvery - firstLost : 0;
    private int _lost;
    private int _doubled;

    /// <summary>
    /// Loses one of the first flight with certificates in datagrams of some 300 bytes, and another one each time that it is sent again,
    /// as it has fewer datagrams than lie between the losses.
    /// </summary>
    public static LossyPath ForFragments() => new(loseEvery: 11, doubleEvery: 2, firstLost: 4);

    /// <summary>How many datagrams were lost.</summary>
    public int Lost => Volatile.Read(ref _lost);

    /// <summary>How many datagrams were sent on twice.</summary>
    public int Doubled => Volatile.Read(ref _doubled);

    /// <summary>How many times the next datagram is sent on.</summary>
    public int CopiesOfNext()
    {
        int number = Interlocked.Increment(ref _count);
        if (loseEvery > 0 && number % loseEvery == 0)
        {
            Interlocked.Increment(ref _lost);
            return 0;
        }

        if (doubleEvery > 0 && number % doubleEvery == 0)
        {
            Interlocked.Increment(ref _doubled);
            return 2;
        }

        return 1;
    }
}
