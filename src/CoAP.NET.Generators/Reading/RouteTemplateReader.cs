using System;
using System.Collections.Generic;
using System.Linq;

namespace CoAP.NET.Generators.Reading;

/// <summary>Reads route templates by the rules of the route table, so that errors appear at compile time.</summary>
internal static class RouteTemplateReader
{
    /// <summary>Reads the names of the parameters.</summary>
    /// <returns>The problem; null for none.</returns>
    public static string? Read(string template, out List<string> names)
    {
        names = [];
        string path = template.StartsWith("/", StringComparison.Ordinal) ? template.Substring(1) : template;
        if (path.Length == 0)
        {
            return null;
        }

        string[] segments = path.Split('/');
        for (int i = 0; i < segments.Length; i++)
        {
            if (ReadSegment(segments[i], i == segments.Length - 1, names) is { } problem)
            {
                return problem;
            }
        }

        return names.GroupBy(name => name, StringComparer.Ordinal).FirstOrDefault(group => group.Count() > 1) is { } twice
            ? $"it has the parameter '{twice.Key}' twice"
            : null;
    }

    private static string? ReadSegment(string segment, bool isLast, List<string> names)
    {
        if (segment.Length > 1 && segment[0] == '{' && segment[segment.Length - 1] == '}')
        {
            bool isRest = segment[1] == '*';
            string name = segment.Substring(isRest ? 2 : 1, segment.Length - (isRest ? 3 : 2));
            if (name.IndexOf(':') >= 0)
            {
                return $"'{segment}' has a constraint, which routes of CoAP do not have; write {{{name.Split(':')[0]}}}, and let the type "
                    + $"of the handler's parameter say what it is, such as int: other text is answered 4.00";
            }

            if (name.EndsWith("?", StringComparison.Ordinal))
            {
                return $"'{segment}' is optional, which parameters of a route cannot be; write {{{name.TrimEnd('?')}}} and map the shorter "
                    + $"path as well, or take it from the query";
            }

            if (name.Length == 0 || name.IndexOfAny(['{', '}', '*', '?', ':']) >= 0)
            {
                return $"'{segment}' is not a parameter; write {{name}}, or {{*name}} for the rest of the path";
            }

            names.Add(name);
            return isRest && !isLast ? $"{segment} takes all segments that are left, so nothing can follow it" : null;
        }

        if (segment.IndexOfAny(['{', '}']) >= 0)
        {
            return $"a parameter is a whole segment, unlike in '{segment}'; write %7B and %7D for braces that are meant literally";
        }

        if (segment.IndexOfAny(['?', '#']) >= 0)
        {
            return "it is a path without query or fragment; write %3F or %23 for characters of the path";
        }

        return segment is "." or ".." ? "no segment is '.' or '..' (RFC 7252 section 5.10.1)" : null;
    }
}
