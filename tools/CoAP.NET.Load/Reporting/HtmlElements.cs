using System.Xml;
using System.Xml.Linq;

namespace CoAP.NET.Load.Reporting;

/// <summary>Helpers that create elements. All text goes through the platform's XML writer, which escapes it.</summary>
internal static class HtmlElements
{
    private static readonly XNamespace s_svg = "http://www.w3.org/2000/svg";

    public static XElement Svg(string name, params object[] content) => new(s_svg + name, content);

    /// <summary>Removes the characters that no document may contain, escaped or not.</summary>
    public static string Text(string text)
    {
        char[] fit = text.ToCharArray();
        for (int i = 0; i < fit.Length; i++)
        {
            if (i + 1 < fit.Length && XmlConvert.IsXmlSurrogatePair(fit[i + 1], fit[i]))
            {
                i++;
            }
            else if (!XmlConvert.IsXmlChar(fit[i]))
            {
                fit[i] = '\uFFFD';
            }
        }

        return new string(fit);
    }

    public static XElement Cell(string text) => new("td", Text(text));

    public static XElement With(this XElement element, params object[] content)
    {
        element.Add(content);
        return element;
    }
}
