// BenchmarkDotNet's own switches (--help), and --serializers: the matrix of options and payloads beside what was published.
using BenchmarkDotNet.Running;
using CoAP.NET.Benchmarks;

if (args is ["--serializers", .. var rest])
{
    if (rest is not ([] or ["--quick"] or [not "--quick"]))
    {
        Console.Error.WriteLine("usage: CoAP.NET.Benchmarks --serializers [--quick | FILE]");
        return 2;
    }

    string report = await MatrixReport.RunAsync(quick: rest is ["--quick"]);
    if (rest is [not "--quick" and var file])
    {
        await File.WriteAllTextAsync(file, report);
    }
    else
    {
        Console.Write(report);
    }

    return 0;
}

BenchmarkSwitcher.FromAssembly(typeof(Program).Assembly).Run(args);
return 0;
