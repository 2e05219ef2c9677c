namespace CoAP.NET.Messaging;

/// <summary>
/// A keyed permutation of the 65,536 Message IDs. It turns counters into unpredictable numbers, and none repeats before all were used (RFC
/// 7252 section 4.4). Four Feistel rounds over two bytes with random round functions.
/// </summary>
internal sealed class MessageIdScrambler
{
    private const int Rounds = 4;

    private readonly byte[] _functions = new byte[Rounds * 256];

    public MessageIdScrambler(CoapRandomSource random) => random.Fill(_functions);

    public ushort this[ushort counter]
    {
        get
        {
            int left = counter >> 8;
            int right = counter & 0xff;
            for (int round = 0; round < Rounds; round++)
            {
                (left, right) = (right, left ^ _functions[(round << 8) | right]);
            }

            return (ushort)((left << 8) | right);
        }
    }
}
