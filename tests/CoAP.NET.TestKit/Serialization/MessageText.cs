using System.Globalization;
using System.Text.RegularExpressions;

namespace CoAP.NET.Tests.Serialization;

/// <summary>
/// Messages as one line: type, code, Message ID, token, options as <c>number:hex</c>, payload as <c>|hex</c>; <c>'text'</c> may stand for
/// its bytes. Frames have neither type nor Message ID, so theirs begin with the code. Written for comparing, in both directions.
/// </summary>
internal static partial class MessageText
{
    private static readonly string[] s_types = ["CON", "NON", "ACK", "RST"];

    public static string Of(CoapMessage message, bool isFrame)
    {
        StringBuilder text = new();
        if (!isFrame)
        {
            text.Append(s_types[(int)message.Type]).Append(' ');
        }

        text.Append(CultureInfo.InvariantCulture, $"{message.Code.Class}.{message.Code.Detail:00} ");
        if (!isFrame)
        {
            text.Append(CultureInfo.InvariantCulture, $"{message.MessageId:x4} ");
        }

        text.Append(message.Token.Length == 0 ? "-" : message.Token.ToString());
        for (int i = 0; i < message.Options.Count; i++)
        {
            text.Append(CultureInfo.InvariantCulture, $" {message.Options.NumberAt(i)}:{Wire.Hex(message.Options.ValueAt(i))}");
        }

        return (message.Payload.IsEmpty ? text : text.Append(" |").Append(Wire.Hex(message.Payload.Span))).ToString();
    }

    /// <summary>The same line with all texts as hexadecimal digits.</summary>
    public static string Canonical(string line) =>
        Quoted().Replace(line,
            match => (match.Groups[1].Value == "|" ? "|" : ":") + Convert.ToHexStringLower(Encoding.UTF8.GetBytes(match.Groups[2].Value)));

    public static CoapMessage Parse(string line, bool isFrame)
    {
        Queue<string> words = new(Canonical(line).Split(' '));
        CoapMessage message = new();
        if (!isFrame)
        {
            message.Type = (CoapMessageType)Array.IndexOf(s_types, words.Dequeue());
        }

        message.Code = CoapCode.Parse(words.Dequeue());
        if (!isFrame)
        {
            message.MessageId = ushort.Parse(words.Dequeue(), NumberStyles.HexNumber, CultureInfo.InvariantCulture);
        }

        string token = words.Dequeue();
        message.Token = new CoapToken(token == "-" ? [] : Wire.Hex(token));
        foreach (string word in words)
        {
            if (word[0] == '|')
            {
                message.Payload = Wire.Hex(word[1..]);
                continue;
            }

            string[] parts = word.Split(':');
            message.Options.Add(int.Parse(parts[0], CultureInfo.InvariantCulture), Wire.Hex(parts[1]));
        }

        return message;
    }

    [GeneratedRegex(@"(\|?)'([^']*)'")]
    private static partial Regex Quoted();
}
