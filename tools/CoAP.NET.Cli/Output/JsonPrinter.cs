using System.Globalization;
using System.Text;
using System.Text.Encodings.Web;
using System.Text.Json;
using CoAP.NET.Content;
using Spectre.Console;

namespace CoAP.NET.Cli.Output;

/// <summary>Formats JSON with indentation and, on a terminal, colors. Numbers keep their digits.</summary>
internal static class JsonPrinter
{
    public static bool TryWrite(ReadOnlySpan<byte> utf8, CliOutput output, out string? fault)
    {
        StringBuilder text = new();
        try
        {
            Write(utf8, text, output.HasColor);
        }
        catch (JsonException exception)
        {
            fault = exception.Message.Split(" LineNumber", 2)[0].TrimEnd('.');
            return false;
        }

        fault = null;
        if (output.HasColor)
        {
            output.MarkupText(text.ToString());
        }
        else
        {
            output.Writer.WriteLine(text);
        }

        return true;
    }

    private static void Write(ReadOnlySpan<byte> utf8, StringBuilder text, bool isMarkup)
    {
        Utf8JsonReader reader = new(utf8);
        bool isValue = false;
        JsonTokenType before = JsonTokenType.None;
        while (reader.Read())
        {
            bool isEnd = reader.TokenType is JsonTokenType.EndArray or JsonTokenType.EndObject;
            bool isEmpty = isEnd && before is JsonTokenType.StartArray or JsonTokenType.StartObject;
            if (!isValue && before != JsonTokenType.None && !isEmpty)
            {
                text.Append(isEnd || before is JsonTokenType.StartArray or JsonTokenType.StartObject ? "\n" : ",\n")
                    .Append(' ', 2 * reader.CurrentDepth);
            }

            isValue = reader.TokenType == JsonTokenType.PropertyName;
            before = reader.TokenType;
            switch (reader.TokenType)
            {
                case JsonTokenType.StartArray:
                    Append("[", null);
                    break;
                case JsonTokenType.EndArray:
                    Append("]", null);
                    break;
                case JsonTokenType.StartObject:
                    Append("{", null);
                    break;
                case JsonTokenType.EndObject:
                    Append("}", null);
                    break;
                case JsonTokenType.PropertyName:
                    Append(Quote(reader.GetString()!), "blue");
                    text.Append(": ");
                    break;
                case JsonTokenType.String:
                    Append(Quote(reader.GetString()!), "green");
                    break;
                default:
                    Append(Encoding.UTF8.GetString(reader.ValueSpan), reader.TokenType == JsonTokenType.Number ? "aqua" : "purple");
                    break;
            }
        }

        void Append(string token, string? color)
        {
            string safe = isMarkup ? Markup.Escape(token) : token;
            _ = isMarkup && color is not null ? text.Append(CultureInfo.InvariantCulture, $"[{color}]{safe}[/]") : text.Append(safe);
        }
    }

    private static string Quote(string value) => TextSanitizer.LineOf($"\"{JavaScriptEncoder.UnsafeRelaxedJsonEscaping.Encode(value)}\"");
}
