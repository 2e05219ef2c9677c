namespace CoAP.NET.Oscore.Tests.Provisioning;

/// <summary>Sound bytes with defects: changed, cut, doubled and exchanged at places that a seed says.</summary>
internal static class Mutated
{
    public static void Each(byte[] sound, int count, Action<byte[]> take)
    {
        Random random = new(8613);
        for (int i = 0; i < count; i++)
        {
            byte[] bytes = [.. sound];
            for (int change = random.Next(1, 4); change > 0; change--)
            {
                int at = random.Next(bytes.Length);
                int length = random.Next(Math.Min(12, bytes.Length - at) + 1);
                switch (random.Next(4))
                {
                    case 0:
                        bytes[at] = (byte)random.Next(256);
                        break;
                    case 1:
                        bytes = [.. bytes[..at], .. bytes[(at + length)..]];
                        break;
                    case 2:
                        bytes = [.. bytes[..(at + length)], .. bytes[at..]];
                        break;
                    default:
                        bytes[at] = (byte)"{}[]\",:0x\\n"[random.Next(11)];
                        break;
                }

                if (bytes.Length == 0)
                {
                    break;
                }
            }

            take(bytes);
        }
    }
}
