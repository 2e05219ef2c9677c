using CoAP.NET.Testing.Peers;

namespace CoAP.NET.Reliability.Tests.Hostile;

/// <summary>
/// Options by number, as RFC 7252 section 3.1 writes them; by hand, so that what the library would not write can be written.
/// </summary>
internal static class HostileBytes
{
    /// <summary>
    /// Options in the order given, which must be that of their numbers; values as in <see cref="DatagramBytePattern"/>.
    /// </summary>
    public static string Options(params (int Number, string Value)[] options)
    {
        StringBuilder text = new();
        int last = 0;
        foreach ((int number, string value) in options)
        {
            int length = LengthOf(HostileScript.Expand(value));
            text.Append(CultureInfo.InvariantCulture,
                $"{Nibble(number - last):x}{Nibble(length):x} {Extension(number - last)}{Extension(length)}{value} ");
            last = number;
        }

        return text.ToString();
    }

    private static int LengthOf(string value) => CoAP.NET.Testing.Peers.DatagramBytePattern.Parse(value).ToBytes().Length;

    private static int Nibble(int value) => value < 13 ? value : value < 269 ? 13 : 14;

    private static string Extension(int value) =>
        value < 13 ? ""
        : value < 269 ? string.Create(CultureInfo.InvariantCulture, $"{value - 13:x2} ")
        : string.Create(CultureInfo.InvariantCulture, $"{value - 269:x4} ");
}
