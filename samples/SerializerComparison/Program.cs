// Compares serializers and options by the benchmarks of the library: derive SerializerMatrix and give it to BenchmarkDotNet.
//   dotnet run -c Release --project samples/SerializerComparison -- --filter '*'
using BenchmarkDotNet.Reports;
using BenchmarkDotNet.Running;

Summary[] summaries = [.. BenchmarkSwitcher.FromAssembly(typeof(Program).Assembly).Run(args)];
return Array.TrueForAll(summaries,
    static summary => !summary.HasCriticalValidationErrors && summary.Reports.All(static report => report.Success)) ? 0 : 1;
