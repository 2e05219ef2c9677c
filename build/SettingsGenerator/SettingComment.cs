using System;
using System.Collections.Generic;
using System.Linq;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace CoAP.NET.Build.Settings;

/// <summary>The comment of a setting: that of its declaration, with its default, its range and what its setter throws.</summary>
internal static class SettingComment
{
    private const string Remarks = "<remarks>";
    private const string Start = "///";

    public static IEnumerable<string> Of(PropertyDeclarationSyntax declaration, SettingRange range, string? initial, bool isSettable)
    {
        List<string> lines = declaration.GetLeadingTrivia().ToFullString().Split('\n')
            .Select(line => line.Trim()).Where(line => line.StartsWith(Start, StringComparison.Ordinal)).ToList();
        if (lines.Count == 0)
        {
            yield break;
        }

        // What the number means, or that nothing is set: the author says it.
        initial = lines.Any(line => line.Contains("Default")) ? null : initial;
        string numbers = string.Join("; ", new[] { initial is null ? null : $"Default {initial}", range.Text }.Where(part => part != null));
        numbers = numbers.Length == 0 ? "" : char.ToUpperInvariant(numbers[0]) + numbers.Substring(1) + ".";
        bool hasRemarks = lines.Any(line => line.Contains(Remarks));
        foreach (string line in lines)
        {
            yield return line.Contains(Remarks) && numbers.Length > 0
                ? line.Replace(Remarks, $"{Remarks}{numbers} ").TrimEnd()
                : line;
        }

        if (!hasRemarks && numbers.Length > 0)
        {
            yield return $"{Start} {Remarks}{numbers}</remarks>";
        }

        if (range.Text != null)
        {
            yield return Exception(nameof(ArgumentOutOfRangeException), "The value is outside its range.");
        }

        if (isSettable)
        {
            yield return Exception(nameof(InvalidOperationException), "The settings are in use.");
        }
    }

    private static string Exception(string type, string when) =>
        $"{Start} <exception cref=\"global::System.{type}\">{when}</exception>";
}
