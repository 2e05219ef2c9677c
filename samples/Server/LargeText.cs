using System.Globalization;
using System.Text;

namespace Server;

/// <summary>Text in lines of 64 bytes that bear their number, so that a block that is lost, doubled or misplaced is seen.</summary>
public static class LargeText
{
    private const int LineLength = 64;

    public static string Make(int length)
    {
        StringBuilder text = new(length + LineLength);
        for (int line = 0; text.Length < length; line++)
        {
            text.Append(string.Create(CultureInfo.InvariantCulture, $"line {line:D6} ").PadRight(LineLength - 1, '-')).Append('\n');
        }

        return text.ToString(0, length);
    }
}
