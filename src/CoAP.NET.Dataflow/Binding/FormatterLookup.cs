using System.Diagnostics.CodeAnalysis;

namespace CoAP.NET.Binding;

/// <summary>Finds the formatters of the application for the type of a parameter or result.</summary>
internal static class FormatterLookup
{
    /// <summary>Finds the formatters that read a type, one for each Content-Format.</summary>
    /// <param name="options">The options of the route.</param>
    /// <param name="type">The type of the parameter.</param>
    /// <param name="found">The formatters, in the order of registration.</param>
    /// <param name="problem">Why there is no unambiguous choice.</param>
    /// <returns>Whether the choice is unambiguous.</returns>
    public static bool TryFindReaders(
        CoapJsonOptions options, Type type, out ICoapFormatter[] found, [NotNullWhen(false)] out string? problem)
    {
        found = [.. options.Formatters.Where(formatter => formatter.CanRead(type))];
        problem = FindAmbiguity(found, type, "read");
        return problem is null;
    }

    /// <summary>Finds the formatters that write a type, one for each Content-Format.</summary>
    /// <param name="options">The options of the route.</param>
    /// <param name="type">The type of the result.</param>
    /// <param name="found">The formatters, in the order of registration.</param>
    /// <param name="problem">Why there is no unambiguous choice.</param>
    /// <returns>Whether the choice is unambiguous.</returns>
    public static bool TryFindWriters(
        CoapJsonOptions options, Type type, out ICoapFormatter[] found, [NotNullWhen(false)] out string? problem)
    {
        found = [.. options.Formatters.Where(formatter => formatter.CanWrite(type))];
        problem = FindAmbiguity(found, type, "write");
        return problem is null;
    }

    private static string? FindAmbiguity(ICoapFormatter[] found, Type type, string verb) =>
        found.GroupBy(static formatter => formatter.Format).FirstOrDefault(static group => group.Count() > 1) is { } several
            ? $"{string.Join(" and ", several.Select(static formatter => formatter.GetType()))} both {verb} {type} as {several.Key}. Register "
                + $"one of them, or let one return false for this type in Can{(verb == "read" ? "Read" : "Write")}."
            : null;
}
