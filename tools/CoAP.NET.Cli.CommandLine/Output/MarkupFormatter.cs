using System.Text;
using CoAP.NET.Content;
using Spectre.Console;

namespace CoAP.NET.Cli.Output;

/// <summary>
/// Text with Spectre's markup, such as <c>[red]no[/]</c>, in which <see cref="Markup.Escape(string)"/> escapes external text. Unlike
/// <see cref="Markup"/> it sanitizes text and leaves names between colons alone, which Spectre takes for emoji.
/// </summary>
internal static class MarkupFormatter
{
    public static Paragraph Of(string markup)
    {
        Paragraph paragraph = new();
        Read(markup, (text, style) => paragraph.Append(text, style));
        return paragraph;
    }

    /// <summary>Returns the text without markup.</summary>
    public static string PlainOf(string markup)
    {
        StringBuilder plain = new();
        Read(markup, (text, _) => plain.Append(text));
        return plain.ToString();
    }

    private static void Read(string markup, Action<string, Style> append)
    {
        string safe = TextSanitizer.Of(markup);
        Stack<Style> styles = new([Style.Plain]);
        StringBuilder text = new();
        for (int i = 0; i < safe.Length; i++)
        {
            bool isEscaped = safe[i] is '[' or ']' && i + 1 < safe.Length && safe[i + 1] == safe[i];
            int end = safe[i] == '[' && !isEscaped ? safe.IndexOf(']', i) : -1;
            if (end < 0)
            {
                text.Append(safe[i]);
                i += isEscaped ? 1 : 0;
                continue;
            }

            Flush();
            string tag = safe[(i + 1)..end];
            if (tag == "/")
            {
                styles.Pop();
            }
            else
            {
                styles.Push(styles.Peek().Combine(Style.Parse(tag)));
            }

            i = end;
        }

        Flush();

        void Flush()
        {
            if (text.Length > 0)
            {
                append(text.ToString(), styles.Peek());
                text.Clear();
            }
        }
    }
}
