namespace CoAP.NET.Simulation.Fuzz;

/// <summary>An input that is not read as it has to be.</summary>
/// <param name="Target">Whose input it is.</param>
/// <param name="Oracle">Which oracle fired.</param>
/// <param name="Message">What was seen.</param>
/// <param name="Inputs">The input, shrunk; several when it takes them all, one after the other.</param>
internal sealed record FuzzFinding(string Target, string Oracle, string Message, IReadOnlyList<byte[]> Inputs)
{
    public override string ToString() =>
        $"{Target}: {Oracle}: {Message}\n    replay: dotnet run -c Release --project simulation/CoAP.NET.Simulation -- fuzz "
            + $"--only {Target}={string.Join('+', Inputs.Select(static input => input.Length == 0 ? "-" : Convert.ToHexStringLower(input)))}";
}
