// Compares a codec of another library, and options of our own, with those of the library by BenchmarkDotNet.
//   dotnet run -c Release --project samples/SerializerComparison -- --filter '*'
//   dotnet run -c Release --project samples/SerializerComparison -- --filter '*Plain*'
using BenchmarkDotNet.Reports;
using BenchmarkDotNet.Running;

Summary[] summaries = [.. BenchmarkSwitcher.FromAssembly(typeof(Program).Assembly).Run(args)];
return Array.TrueForAll(summaries,
    static summary => !summary.HasCriticalValidationErrors && summary.Reports.All(static report => report.Success)) ? 0 : 1;
