// Puts load on a CoAP server and measures how it answers.
return await CoAP.NET.Load.LoadProgram.RunAsync(args, Console.Out, Console.Error);
