// BenchmarkDotNet's own switches (--help), and --serializers: the matrix of options and payloads beside what was published.
using System.Globalization;
using BenchmarkDotNet.Reports;
using BenchmarkDotNet.Running;
using CoAP.NET.Bench;
using CoAP.NET.Benchmarks;

// Numbers are written and read alike on every machine.
CultureInfo.DefaultThreadCurrentCulture = CultureInfo.CurrentCulture = CultureInfo.InvariantCulture;

if (args is ["--serializers", .. var rest])
{
    if (rest is not ([] or ["--quick"] or [not "--quick"]))
    {
        Console.Error.WriteLine("usage: CoAP.NET.Benchmarks --serializers [--quick | FILE]");
        return 2;
    }

    bool isQuick = rest is ["--quick"];
    string? file = isQuick ? null : rest.FirstOrDefault();
    string report = await MatrixReport.RunAsync(isQuick, file is null ? null : Path.GetDirectoryName(Path.GetFullPath(file)));
    if (file is not null)
    {
        WrittenText.Write(file, "serializers", report);
    }
    else
    {
        Console.Write(report);
    }

    return 0;
}

if (args is [LargeObjects.Switch])
{
    // By --serializers, in a process of its own.
    LargeObjects.Run(MatrixReport.Configure(quick: false));
    return 0;
}

Summary[] summaries = [.. BenchmarkSwitcher.FromAssembly(typeof(Program).Assembly).Run(args)];
return Array.TrueForAll(summaries,
    static summary => !summary.HasCriticalValidationErrors && summary.Reports.All(static report => report.Success)) ? 0 : 1;
